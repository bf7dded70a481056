// A tracker on 127.0.0.1 over HTTP and UDP, on the port that is its argument; prints a line when it listens.
import Server from 'bittorrent-tracker/server'

const server = new Server({ http: true, udp: true, ws: false, stats: true })
server.on('error', (error) => console.error(error.message))
server.on('warning', (warning) => console.error(warning.message))
server.on('listening', () => console.log('listening'))
server.listen(Number(process.argv[2]), '127.0.0.1')
