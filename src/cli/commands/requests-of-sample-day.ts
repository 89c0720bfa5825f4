import { hourMs } from '#money/periods-and-windows.ts'

export interface SampleCall {
  readonly person: string
  readonly model: string
  readonly prompt: string
  readonly maxTokens: number
  readonly isStreamed: boolean
}

export interface SampleHour {
  readonly atMs: number
  readonly calls: readonly SampleCall[]
}

export type Chance = () => number

/** Mulberry32 (a 32-bit generator) is random enough for sample traffic. */
export function chanceFrom(seed: number): Chance {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const hours = [
  { hour: 8, share: 0.2 },
  { hour: 11, share: 0.3 },
  { hour: 15, share: 0.35 },
  { hour: 20, share: 0.15 },
]
const questions = [
  'Summarize the notes of this meeting.',
  'Write a friendly reply to this customer.',
  'Translate this paragraph to French.',
  'Why does this test fail?',
  'Suggest five names for a bakery.',
  'Explain this contract in plain words.',
]

/**
 * Minimum times. For half of the requests, the first byte takes up to 50 % longer. For a few, it takes five times as
 * long. The times are as short as those of fast models, because the command waits for the responses.
 */
const firstByteMs: Readonly<Record<string, number>> = {
  'sample/fast': 20,
  'sample/smart': 35,
  'sample/reasoning': 70,
}

/** @param dayMs midnight (UTC) at the start of the day */
export function sampleDay(
  dayMs: number,
  callsPerDay: number,
  people: readonly { readonly id: string; readonly bundle: string }[],
  chance: Chance,
): SampleHour[] {
  const weekday = new Date(dayMs).getUTCDay()
  const isWeekend = weekday === 0 || weekday === 6
  const calls = callsPerDay * (isWeekend ? 0.35 : 1.25) * (0.75 + chance() / 2)
  return hours.map(({ hour, share }) => ({
    atMs: dayMs + hour * hourMs + Math.floor(chance() * hourMs),
    calls: Array.from({ length: Math.round(calls * share) }, () => sampleCall(people, chance)),
  }))
}

function sampleCall(
  people: readonly { readonly id: string; readonly bundle: string }[],
  chance: Chance,
): SampleCall {
  const person = people[Math.floor(chance() ** 2 * people.length)]
  const kind = chance()
  // The starter plan does not include `sample/reasoning`, so a few requests of its end users are rejected.
  const model =
    kind < 0.6
      ? 'sample/fast'
      : kind < 0.9 || (person?.bundle !== 'pro' && chance() < 0.8)
        ? 'sample/smart'
        : 'sample/reasoning'
  const tokens = Math.round(20 + chance() ** 3 * 2_500)
  const waitMs = Math.round((firstByteMs[model] ?? 20) * (1 + 4 * chance() ** 3))
  const fate = chance()
  const order = fate < 0.015 ? 'fail=529' : fate < 0.025 ? 'fail=429' : `tokens=${tokens}`
  const question = questions[Math.floor(chance() * questions.length)] ?? ''
  return {
    person: person?.id ?? '',
    model,
    // A longer text has more input tokens.
    prompt: `${question} ${'lorem ipsum '.repeat(Math.floor(chance() ** 2 * 800))}[[wait=${waitMs}ms ${order}]]`,
    maxTokens: 3_000,
    // Without streaming, the first byte would arrive together with the last byte.
    isStreamed: chance() < 0.8,
  }
}
