import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { measureWindow, type Timing } from './measure-in-rounds.ts'
import { rounded, spread, type Spread } from './statistics.ts'
import { jsonCall, type Target } from './targets-and-scenarios.ts'

export interface TailFigures {
  readonly readers: number
  readonly callsPerSecond: Spread
  readonly cpuMicrosPerCall: Spread
  readonly events: number
}

export interface TailSource {
  readonly url: string
  readonly token: string
}

const readersOf = [0, 1, 100] as const

/** Measures calls on 32 connections, first with no reader, then with 1 reader and with 100 readers. */
export async function measureTail(
  target: Target,
  source: TailSource,
  { rounds, ...timing }: { readonly rounds: number } & Timing,
): Promise<TailFigures[]> {
  const seen = new Map(
    readersOf.map((readers) => [readers, { callsPerSecond: [] as number[], cpu: [] as number[], events: 0 }]),
  )
  for (let round = 0; round < rounds; round += 1)
    for (const [readers, figures] of seen) {
      const open = await Promise.all(Array.from({ length: readers }, () => openReader(source)))
      const window = await measureWindow({
        target,
        scenario: jsonCall,
        connections: 32,
        staggerMs: 0,
        ...timing,
      })
      for (const reader of open) figures.events += reader.close()
      figures.callsPerSecond.push(window.callsPerSecond)
      figures.cpu.push(window.cpuMicros / window.calls)
    }
  return [...seen].map(([readers, { callsPerSecond, cpu, events }]) => ({
    readers,
    callsPerSecond: spread(callsPerSecond.map(rounded)),
    cpuMicrosPerCall: spread(cpu),
    events,
  }))
}

/** Counts the events without storing them, because reading uses the cores that the gateway needs. */
async function openReader({ token, url }: TailSource): Promise<{ close(): number }> {
  const sent = request(`${url}/v1/requests/tail`, { headers: { authorization: `Bearer ${token}` } })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  if (response.statusCode !== 200) throw new Error(`requests.tail answered ${response.statusCode}`)
  let events = 0
  response.on('data', (bytes: Buffer) => {
    for (let at = bytes.indexOf('event: call'); at >= 0; at = bytes.indexOf('event: call', at + 1))
      events += 1
  })
  response.on('error', () => {})
  return {
    close() {
      sent.destroy()
      return events
    },
  }
}
