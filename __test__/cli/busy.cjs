// Something under way that does not end, such as a name server that is silent.

setInterval(() => {}, 60_000)
