import type { HealthOutput } from '#sdk/generated/operations.ts'
import type { AccountHealth, NameHealth } from '#sdk/generated/types.ts'
import type { Known } from '#web/ui/known-words.ts'
import type { Tone } from '#web/ui/status-notes-and-placeholders.tsx'

export interface Words {
  readonly tone: Tone
  readonly words: string
  readonly title: string
}

const states: Readonly<Record<string, readonly [Tone, string]>> = {
  healthy: ['positive', 'Healthy'],
  degraded: ['held', 'Degraded'],
  failing: ['negative', 'Failing'],
  unavailable: ['negative', 'Unavailable'],
  key_refused: ['negative', 'Key rejected'],
  unknown: ['neutral', 'No requests'],
} satisfies Readonly<Record<Known<AccountHealth['state']>, readonly [Tone, string]>>

export function healthWords(
  one: Pick<AccountHealth | NameHealth, 'calls' | 'failed' | 'state' | 'why'> | undefined,
): Words {
  if (!one) return { tone: 'neutral', words: 'Unknown', title: 'Health could not be loaded.' }
  // A newer server may return states that this page does not know.
  const [tone, words] = states[one.state] ?? ['neutral', one.state]
  const counted =
    one.calls === 0
      ? 'No requests finished in the last 24 hours.'
      : `${one.failed} of ${one.calls} requests failed in the last 24 hours.`
  return { tone, words, title: one.why ?? counted }
}

export function healthOfName(name: string, health: HealthOutput | undefined): Words {
  return healthWords(health?.names.find((one) => one.name === name))
}

export function healthOfAccount(label: string, health: HealthOutput | undefined): AccountHealth | undefined {
  return health?.accounts.find(({ provider }) => provider === label)
}
