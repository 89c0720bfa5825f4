import type * as z from 'zod'
import { attemptDefaults, type RouterDefinition, type RouterTargetRecord } from '#domain/router-records.ts'
import { routerFaultSentence } from '#routing/router-fault-sentence.ts'
import { type RouterLinks, validateRouters } from '#routing/validate-routers.ts'
import type { Provider } from '#domain/accounts/provider-account-record.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import { Refused, refused } from '#operations/kernel/returned-error.ts'
import type { RouterAsSent, Target } from './router-view.ts'

type Fault = Refused<'invalid_request' | 'not_found'>

export interface Reach {
  readonly accounts: readonly Provider[]
  /** Maps each model name to its number of sources. */
  readonly aliases: ReadonlyMap<string, number>
  readonly routers: readonly RouterLinks[]
  readonly bundles: readonly string[]
}

export async function reachOf({ application, organization, store }: ApplicationContext): Promise<Reach> {
  const aliases = await store.aliases.all(application.id)
  return {
    accounts: await store.providers.all(organization.id),
    aliases: new Map(aliases.map(({ name, sources }) => [name, sources.length])),
    routers: await store.routers.all(application.id),
    bundles: (await store.bundles.whole(application.id)).map(({ bundle }) => bundle.slug),
  }
}

/**
 * Returns the stored form of a router, with account IDs and default values. Rejects unknown names, routers that route
 * to themselves, and routers that are nested too deep.
 * @param at the path of the field that contains the router, including its dot; empty if the router is the body
 */
export function checkedDefinition(
  name: string,
  router: RouterAsSent,
  reach: Reach,
  at = '',
): RouterDefinition | Fault {
  const targets: RouterTargetRecord[] = []
  for (const [index, one] of router.targets.entries()) {
    const target = targetOf(one, reach, `${at}targets.${index}`)
    if (target instanceof Refused) return target
    targets.push(target)
  }
  const others = reach.routers.filter((other) => other.name !== name)
  const fault = validateRouters([{ name, targets }, ...others], (alias) => reach.aliases.get(alias) ?? null)
  if (fault) return invalid(routerFaultSentence(fault), `${at}targets`)
  return definitionOf(router, targets, at)
}

/** Rejects a target whose time limit for the first byte leaves no time for further attempts. */
export function definitionOf(
  { attempts, policy, stickyBy }: Omit<RouterAsSent, 'targets'>,
  targets: readonly RouterTargetRecord[],
  at = '',
): RouterDefinition | Refused<'invalid_request'> {
  const { timeouts = {}, ...rules } = attempts
  const definition = {
    policy,
    stickyBy,
    targets,
    attempts: { ...attemptDefaults, ...rules, deadlines: timeouts },
  }
  return deadlineFault(definition, at) ?? definition
}

/**
 * Checks that a target's `firstByteMs` leaves time for the next target. Its default always does
 * (gateway/relay/attempt-deadlines.ts).
 */
function deadlineFault(
  { attempts, policy, targets }: RouterDefinition,
  at: string,
): Refused<'invalid_request'> | null {
  const { attemptsMax, deadlines, withinMs } = attempts
  if (withinMs === 0 || attemptsMax === 1) return null
  // In a fixed order, no target follows the last one.
  const followed = policy === 'priority' ? targets.slice(0, -1) : targets.length > 1 ? targets : []
  for (const [index, target] of followed.entries()) {
    const {
      firstByteMs = 0,
      firstTokenMs = Infinity,
      totalMs = Infinity,
    } = { ...deadlines, ...target.deadlines }
    if (Math.min(firstByteMs, firstTokenMs, totalMs) < withinMs) continue
    const isOwn = target.deadlines.firstByteMs !== undefined
    const reason = `A target that does not respond is abandoned after firstByteMs (${firstByteMs} ms). Attempts cannot begin later than withinMs (${withinMs} ms), so other targets would never be tried. Set firstByteMs below ${withinMs}, or withinMs above ${firstByteMs}.`
    return invalid(
      reason,
      isOwn ? `${at}targets.${index}.timeouts.firstByteMs` : `${at}attempts.timeouts.firstByteMs`,
    )
  }
  return null
}

function targetOf(sent: z.output<typeof Target>, reach: Reach, at: string): RouterTargetRecord | Fault {
  const to = toOf(sent, reach, at)
  if (to instanceof Refused) return to
  const { maxInFlight, timeouts = {}, weight = 1, when } = sent
  const { bundles = [], inputTokensMax = Infinity, inputTokensMin = 0 } = when ?? {}
  if (inputTokensMin > inputTokensMax) {
    const reason = `inputTokensMin (${inputTokensMin}) must not be greater than inputTokensMax (${inputTokensMax}).`
    return invalid(reason, `${at}.when.inputTokensMin`)
  }
  for (const [index, slug] of bundles.entries())
    if (!reach.bundles.includes(slug))
      return refused('not_found', { resource: 'bundle', id: slug }, `${at}.when.bundles.${index}`)
  return { to, weight, maxInFlight: maxInFlight ?? null, when: when ?? null, deadlines: timeouts }
}

function toOf(
  {
    alias,
    model,
    provider,
    router,
  }: Pick<z.output<typeof Target>, 'alias' | 'model' | 'provider' | 'router'>,
  { accounts, aliases, routers }: Reach,
  at: string,
): RouterTargetRecord['to'] | Fault {
  const kinds = [alias, router, provider ?? model].filter((one) => one !== undefined)
  if (kinds.length !== 1)
    return invalid('A target must name one alias, one router, or one provider with its model.', at)
  if (alias !== undefined) {
    return aliases.has(alias)
      ? { kind: 'alias', name: alias }
      : refused('not_found', { resource: 'model', id: alias }, `${at}.alias`)
  }
  if (router !== undefined) {
    return routers.some(({ name }) => name === router)
      ? { kind: 'router', name: router }
      : refused('not_found', { resource: 'router', id: router }, `${at}.router`)
  }
  if (provider === undefined || model === undefined)
    return invalid(
      'provider and model must be set together.',
      provider === undefined ? `${at}.provider` : `${at}.model`,
    )
  const account = accounts.find(({ label }) => label === provider)
  return account
    ? { kind: 'source', accountId: account.id, model }
    : refused('not_found', { resource: 'provider account', id: provider }, `${at}.provider`)
}

function invalid(reason: string, param: string): Refused<'invalid_request'> {
  return refused('invalid_request', { reason }, param)
}
