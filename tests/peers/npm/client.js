// Announces once and prints what the tracker answered: arguments are its announce URL, an info hash, and our port.
import Client from 'bittorrent-tracker-client'

const [announce, infoHash, port] = process.argv.slice(2)
const client = new Client({ infoHash, peerId: Buffer.alloc(20, 'n'), announce: [announce], port: Number(port) })
const peers = []
client.on('peer', (peer) => peers.push(peer))
client.on('error', (error) => fail(error))
client.on('warning', (warning) => fail(warning))
client.on('update', ({ complete, incomplete }) => {
  // Peers are told after the update, one by one.
  setImmediate(() => {
    console.log(JSON.stringify({ complete, incomplete, peers }))
    client.destroy()
  })
})
client.start()

function fail (error) {
  console.log(JSON.stringify({ error: error.message }))
  client.destroy()
}
