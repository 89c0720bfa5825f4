/** Routers in sentences. */
import type { Router, RouterTargetState } from '#sdk/generated/types.ts'
import { durationText } from '#web/ui/number-text.ts'

export const policies = [
  ['priority', 'In order', 'The first target that can be taken, as they stand.'],
  ['weighted', 'By weight', 'By chance: each target gets its share of calls.'],
  ['cheapest', 'Cheapest', 'What this very call is expected to cost the account.'],
  ['fastest', 'Fastest', 'The one whose first token has come soonest lately.'],
  ['leastBusy', 'Least busy', 'The one with the fewest calls in flight.'],
  ['sticky', 'Sticky', 'The same person, or session, stays at one target while it can be taken.'],
] as const
export type Policy = (typeof policies)[number][0]

export function policyWords(policy: string): string {
  return policies.find(([name]) => name === policy)?.[1] ?? policy
}

export function policySentence({ policy, stickyBy }: Pick<Router, 'policy' | 'stickyBy'>): string {
  if (policy === 'sticky')
    return `The calls of one ${stickyBy === 'session' ? 'session' : 'person'} stay at one target while it can be taken.`
  return policies.find(([name]) => name === policy)?.[2] ?? policy
}

/** Where a target leads, in words. */
export function targetWords({
  alias,
  model,
  provider,
  router,
}: Pick<RouterTargetState, 'alias' | 'router' | 'provider' | 'model'>): string {
  if (alias !== undefined) return alias
  if (router !== undefined) return router
  return `${provider ?? ''} · ${model ?? ''}`
}

type When = NonNullable<RouterTargetState['when']>

/** Describes the conditions of a target. Null if it accepts any request. */
export function whenWords(when: When | null | undefined): string | null {
  if (!when) return null
  const parts: string[] = []
  if (when.bundles) parts.push(`the caller is on ${listed(when.bundles, 'or')}`)
  if (when.features) parts.push(`it needs ${listed(when.features, 'and')}`)
  const { inputTokensMax: most, inputTokensMin: least } = when
  if (least !== undefined && most !== undefined)
    parts.push(`its input is ${count(least)} to ${count(most)} tokens`)
  else if (least !== undefined) parts.push(`its input is at least ${count(least)} tokens`)
  else if (most !== undefined) parts.push(`its input is at most ${count(most)} tokens`)
  if (when.mode !== undefined) parts.push(`the key is a ${when.mode} key`)
  return parts.length === 0 ? null : `Only if ${listed(parts, 'and')}`
}

export function attemptsWords({ attempts }: Pick<Router, 'attempts'>): string {
  const { attemptsMax, onContextLength, retriesPerTarget, withinMs } = attempts
  const again =
    retriesPerTarget === 0
      ? 'each target is asked once'
      : `after a quick 429 or 5xx each target is asked again up to ${retriesPerTarget} ${retriesPerTarget === 1 ? 'time' : 'times'}`
  const tooLong =
    onContextLength === 'fail'
      ? 'a request that is too long for a target fails'
      : 'a request that is too long for a target moves on to one with more room'
  const tries = attemptsMax === 1 ? 'One attempt' : `At most ${attemptsMax} attempts`
  return `${tries}, none begun later than ${durationText(withinMs)} after the first; ${again}; ${tooLong}.`
}

export function timeoutsWords(timeouts: Router['attempts']['timeouts']): string | null {
  const names = [
    ['connectMs', 'connect'],
    ['firstByteMs', 'first byte'],
    ['firstTokenMs', 'first token'],
    ['idleMs', 'between pieces'],
    ['totalMs', 'in all'],
  ] as const
  const parts = names.flatMap(([name, words]) => {
    const ms = timeouts[name]
    return ms === undefined ? [] : [`${words} ${durationText(ms)}`]
  })
  return parts.length === 0 ? null : parts.join(', ')
}

/** A part of all weights, for a weighted router: `60 %`. */
export function shareWords(weight: number, all: readonly number[]): string {
  const sum = all.reduce((total, one) => total + one, 0)
  return `${Math.round((weight * 1000) / sum) / 10} %`
}

function listed(words: readonly string[], last: 'and' | 'or'): string {
  if (words.length < 2) return words[0] ?? ''
  return `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1) ?? ''}`
}

function count(tokens: number): string {
  return tokens.toLocaleString('en-GB')
}
