import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { inRounds, measureWindow, type Timing } from './measure-in-rounds.ts'
import { spread, type Spread } from './statistics.ts'
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
  const measured = await inRounds(rounds, readersOf, async (readers) => {
    const open: { close(): number }[] = []
    // Open the readers one after the other, because the gateway limits the concurrent reads of an organization.
    while (open.length < readers) open.push(await openReader(source))
    const load = { target, scenario: jsonCall, connections: 32, staggerMs: 0, ...timing }
    const { calls, callsPerSecond, cpuMicros } = await measureWindow(load)
    const events = open.reduce((sum, reader) => sum + reader.close(), 0)
    return { callsPerSecond, cpuMicrosPerCall: cpuMicros / calls, events }
  })
  return [...measured].map(([readers, windows]) => ({
    readers,
    callsPerSecond: spread(windows.map(({ callsPerSecond }) => callsPerSecond)),
    cpuMicrosPerCall: spread(windows.map(({ cpuMicrosPerCall }) => cpuMicrosPerCall)),
    events: windows.reduce((sum, { events }) => sum + events, 0),
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
