// A tracker on 127.0.0.1 over HTTP and UDP, on the port that is its argument; prints a line when it listens.
import Server from 'bittorrent-tracker/server'

const server = new Server({ http: true, udp: true, ws: false, stats: true })
server.on('error', (error) => console.error(error.message))
server.on('warning', (warning) => console.error(warning.message))
// It says that it listens only where IPv6 works too, on an address of IPv4.
let waited = 2
for (const socket of [server.http, server.udp4]) {
  socket.on('listening', () => { if (--waited === 0) console.log('listening') })
}
server.listen(Number(process.argv[2]), '127.0.0.1')
