import { ratios, type Compared } from './cost-of-non-streaming-calls.ts'
import { inRounds, measureWindow, type Timing, type Window } from './measure-in-rounds.ts'
import { spread, type Spread } from './statistics.ts'
import { streamCall, wholeCall, type Scenario, type Target } from './targets-and-scenarios.ts'
import { chat } from './wires/chat.ts'
import { generate } from './wires/generate.ts'
import { messages } from './wires/messages.ts'
import { responses } from './wires/responses.ts'
import type { BenchWire } from './wires/wire-format-interface.ts'

/** The cost of a request in each wire format, compared with the cost of a chat request in the same rounds. */
export interface WireFigures {
  readonly calls: readonly WireFigure[]
  readonly streams: readonly WireFigure[]
  readonly largeBody: LargeBodyFigures
}

interface WireFigure {
  readonly client: string
  readonly provider: string
  readonly cpuMicros: Spread
  /** The measurement, divided by the same measurement for unconverted chat requests. */
  readonly byChat: Spread
  readonly byFloor: Spread
}

interface LargeBodyFigures {
  readonly bytes: number
  readonly floorMs: Spread
  readonly subjectMs: Spread
  /** Time of a call through the measured server, divided by the time through the minimal proxy in the same round. */
  readonly timeRatio: Spread
}

/**
 * Requests in each wire format are sent to providers of the same format and of two other formats. Measuring all pairs
 * would take ten minutes.
 */
const pairs: readonly (readonly [client: BenchWire, provider: BenchWire])[] = [
  [chat, chat],
  [messages, messages],
  [generate, generate],
  [responses, responses],
  [chat, messages],
  [chat, generate],
  [messages, chat],
  [messages, responses],
  [generate, chat],
  [generate, messages],
  [responses, messages],
  [responses, generate],
]

const chunks = { chunks: 200, delayMs: 5 }
const wholeCalls = pairs.map(([client, provider]) => wholeCall({ client, provider }))
const streamCalls = pairs.map(([client, provider]) => streamCall(chunks, { client, provider }))

const largeCall = wholeCall({}, 11 * 381_300)

export const wireScenarios: readonly Scenario[] = [...wholeCalls, ...streamCalls]

export async function measureWires(
  { floor, subject }: Compared,
  { rounds, callTiming, streamTiming }: { rounds: number; callTiming: Timing; streamTiming: Timing },
): Promise<WireFigures> {
  return {
    calls: await measurePairs(wholeCalls, { floor, subject, rounds, connections: 32, ...callTiming }),
    streams: await measurePairs(streamCalls, { floor, subject, rounds, connections: 50, ...streamTiming }),
    largeBody: await measureLargeBody({ floor, subject, rounds, ...callTiming }),
  }
}

interface Measured extends Timing {
  readonly floor: Target
  readonly subject: Target
  readonly rounds: number
}

async function measurePairs(
  scenarios: readonly Scenario[],
  { floor, subject, rounds, connections, ...timing }: Measured & { connections: number },
): Promise<WireFigure[]> {
  const [first] = scenarios
  if (first === undefined) return []
  const own = scenarios.map((scenario) => ({ target: subject, scenario }))
  // The minimal proxy forwards every wire format unchanged, so one scenario suffices for it.
  const baselines = (floor.isGateway ? scenarios : [first]).map((scenario) => ({ target: floor, scenario }))
  const runs = [...baselines, ...own]
  const windows = await inRounds(rounds, runs, ({ target, scenario }) =>
    measureWindow({ target, scenario, connections, staggerMs: first.isStream ? 20 : 0, ...timing }),
  )
  const costOf = (window: Window): number =>
    window.cpuMicros / (first.isStream ? window.events : window.calls)
  const ofFloor = baselines.map((run) => windows.get(run) ?? [])
  const measured = own.map((run) => windows.get(run) ?? [])
  const [ofChat = []] = measured
  return measured.map((each, i) => ({
    client: scenarios[i]?.client.name ?? '',
    provider: scenarios[i]?.provider.name ?? '',
    cpuMicros: spread(each.map(costOf)),
    byChat: spread(ratios(each, ofChat, costOf)),
    byFloor: spread(ratios(each, ofFloor[i] ?? ofFloor[0] ?? [], costOf)),
  }))
}

async function measureLargeBody({ floor, subject, rounds, ...timing }: Measured): Promise<LargeBodyFigures> {
  const windows = await inRounds(rounds, [floor, subject], (target) =>
    measureWindow({ target, scenario: largeCall, connections: 1, staggerMs: 0, ...timing }),
  )
  const floorWindows = windows.get(floor) ?? []
  const subjectWindows = windows.get(subject) ?? []
  return {
    bytes: largeCall.imageBytes,
    floorMs: spread(floorWindows.map(({ p50Ms }) => p50Ms)),
    subjectMs: spread(subjectWindows.map(({ p50Ms }) => p50Ms)),
    timeRatio: spread(ratios(subjectWindows, floorWindows, ({ p50Ms }) => p50Ms)),
  }
}
