-- Announces for wrk. The argument is a file with the target of one request on each line; threads begin at random.
local requests, at = {}, 0

function init(arguments)
  for target in io.lines(arguments[1]) do
    requests[#requests + 1] = wrk.format("GET", target, { ["User-Agent"] = "bench/1.0", ["Accept-Encoding"] = "gzip" })
  end
  math.randomseed(os.time())
  at = math.random(#requests)
end

function request()
  at = at % #requests + 1
  return requests[at]
end
