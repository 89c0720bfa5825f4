import type { Router, RouterTargetState } from '#sdk/generated/types.ts'
import { durationText } from '#web/ui/number-text.ts'

export const policies = [
  ['priority', 'In order', 'Uses the first available target.'],
  ['weighted', 'By weight', 'Selects a target at random, in proportion to the weights of the targets.'],
  ['cheapest', 'Cheapest', 'Uses the target with the lowest expected cost of the request.'],
  ['fastest', 'Fastest', 'Uses the target with the lowest recent time to the first token.'],
  ['leastBusy', 'Least busy', 'Uses the target with the fewest requests in flight.'],
  ['sticky', 'Sticky', 'Keeps an end user or a session on the same target while the target is available.'],
] as const
export type Policy = (typeof policies)[number][0]

export function policyWords(policy: string): string {
  return policies.find(([name]) => name === policy)?.[1] ?? policy
}

export function policySentence({ policy, stickyBy }: Pick<Router, 'policy' | 'stickyBy'>): string {
  if (policy === 'sticky')
    return `Keeps ${stickyBy === 'session' ? 'a session' : 'an end user'} on the same target while the target is available.`
  return policies.find(([name]) => name === policy)?.[2] ?? policy
}

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

export function whenWords(when: When | null | undefined): string | null {
  if (!when) return null
  const parts: string[] = []
  if (when.bundles) parts.push(`the end user is on ${listed(when.bundles, 'or')}`)
  if (when.features) parts.push(`the request needs ${listed(when.features, 'and')}`)
  const { inputTokensMax: most, inputTokensMin: least } = when
  if (least !== undefined && most !== undefined)
    parts.push(`the input has ${count(least)} to ${count(most)} tokens`)
  else if (least !== undefined) parts.push(`the input has at least ${count(least)} tokens`)
  else if (most !== undefined) parts.push(`the input has at most ${count(most)} tokens`)
  if (when.mode !== undefined) parts.push(`the key is a ${when.mode} key`)
  return parts.length === 0 ? null : `Only if ${listed(parts, 'and')}`
}

export function attemptsWords({ attempts }: Pick<Router, 'attempts'>): string {
  const { attemptsMax, onContextLength, retriesPerTarget, withinMs } = attempts
  const again =
    retriesPerTarget === 0
      ? 'Each target is tried once'
      : `A target that returns 429 or 5xx within 5 s is retried up to ${retriesPerTarget} ${retriesPerTarget === 1 ? 'time' : 'times'}`
  const tooLong =
    onContextLength === 'fail'
      ? 'A request that is too long for a target fails'
      : 'A request that is too long for a target is sent to a target with a larger context'
  const tries = attemptsMax === 1 ? 'One attempt' : `Up to ${attemptsMax} attempts`
  return `${tries}, all started within ${durationText(withinMs)}. ${again}. ${tooLong}.`
}

/** Describes the statuses for which the router differs from its default. May be empty. */
export function nextTargetWords({
  alsoMovesOn,
  neverMovesOn,
}: Pick<Router['attempts'], 'alsoMovesOn' | 'neverMovesOn'>): string {
  const parts: string[] = []
  if (alsoMovesOn.length > 0)
    parts.push(`The next target is also tried after status ${listed(alsoMovesOn.map(String), 'or')}.`)
  if (neverMovesOn.length > 0)
    parts.push(`No other target is tried after status ${listed(neverMovesOn.map(String), 'or')}.`)
  return parts.join(' ')
}

export function timeoutsWords(timeouts: Router['attempts']['timeouts']): string | null {
  const names = [
    ['connectMs', 'connect'],
    ['firstByteMs', 'first byte'],
    ['firstTokenMs', 'first token'],
    ['idleMs', 'between chunks'],
    ['totalMs', 'total'],
  ] as const
  const parts = names.flatMap(([name, words]) => {
    const ms = timeouts[name]
    return ms === undefined ? [] : [`${words} ${durationText(ms)}`]
  })
  return parts.length === 0 ? null : parts.join(', ')
}

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
