import type * as z from 'zod'
import { attemptDefaults, type RouterDefinition, type RouterTargetRecord } from '#domain/router-definition.ts'
import {
  routerLimits,
  validateRouters,
  type RouterFault,
  type RouterLinks,
} from '#routing/validate-routers.ts'
import type { Provider } from '#domain/records.ts'
import type { ApplicationContext } from '#operations/context.ts'
import { Refused, refused } from '#operations/refused.ts'
import type { RouterBody, Target } from './router-view.ts'

type Fault = Refused<'invalid_request' | 'not_found'>

/** What there is for a router to lead to. */
export interface Reach {
  readonly accounts: readonly Provider[]
  readonly aliases: readonly string[]
  readonly routers: ReadonlyMap<string, RouterLinks>
  /** Slugs. */
  readonly bundles: readonly string[]
}

export async function reachOf({ application, organization, store }: ApplicationContext): Promise<Reach> {
  const routers = await store.routers.all(application.id)
  return {
    accounts: await store.providers.all(organization.id),
    aliases: await store.aliases.names(application.id),
    routers: new Map(routers.map((router) => [router.name, router])),
    bundles: (await store.bundles.whole(application.id)).map(({ bundle }) => bundle.slug),
  }
}

/**
 * A router as it is stored: its accounts by id, and what is left out filled in. Refused where it names what is not
 * there, or leads back to itself or too deep.
 * @param at the field that has it, with a point behind; empty: it is the body
 */
export function checkedDefinition(
  name: string,
  { attempts = {}, policy, stickyBy, targets: sent }: z.output<typeof RouterBody>,
  reach: Reach,
  at = '',
): RouterDefinition | Fault {
  const targets: RouterTargetRecord[] = []
  for (const [index, one] of sent.entries()) {
    const target = targetOf(one, reach, `${at}targets.${index}`)
    if (target instanceof Refused) return target
    targets.push(target)
  }
  const routers = new Map([...reach.routers, [name, { name, targets }]])
  // The sources of an alias are tried as one target.
  const sourcesOf = (alias: string): number | null => (reach.aliases.includes(alias) ? 1 : null)
  const fault = validateRouters(routers.values(), sourcesOf)
  if (fault !== null) return invalid(reasonOf(fault), `${at}targets`)
  const { timeouts = {}, ...rules } = attempts
  return {
    policy,
    stickyBy: stickyBy ?? 'end_user',
    targets,
    attempts: { ...attemptDefaults, ...rules, deadlines: timeouts },
  }
}

function reasonOf(fault: RouterFault): string {
  switch (fault.kind) {
    case 'cycle':
      return `The targets lead back to where they begin: ${fault.path.join(' -> ')}; take one of them away.`
    case 'too_deep':
      return `The router leads through ${fault.path.length} routers, one behind the other, and ${routerLimits.depthMax} are the most: ${fault.path.join(' -> ')}.`
    case 'too_many_targets':
      return `The router ${fault.router} leads to ${fault.targets} targets, and ${routerLimits.targetsMax} are the most.`
    case 'unknown_target':
      return `The router ${fault.router} leads to ${fault.target}, which is not there.`
    default:
      return fault satisfies never
  }
}

function targetOf(sent: z.output<typeof Target>, reach: Reach, at: string): RouterTargetRecord | Fault {
  const to = toOf(sent, reach, at)
  if (to instanceof Refused) return to
  const { maxInFlight, timeouts = {}, weight = 1, when } = sent
  const { bundles = [], inputTokensMax = Infinity, inputTokensMin = 0 } = when ?? {}
  if (inputTokensMin > inputTokensMax) {
    const reason = `No input has at least ${inputTokensMin} and at most ${inputTokensMax} tokens.`
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
    return invalid('A target is one alias, one router, or one provider with its model.', at)
  if (alias !== undefined) {
    return aliases.includes(alias)
      ? { kind: 'alias', name: alias }
      : refused('not_found', { resource: 'model', id: alias }, `${at}.alias`)
  }
  if (router !== undefined) {
    return routers.has(router)
      ? { kind: 'router', name: router }
      : refused('not_found', { resource: 'router', id: router }, `${at}.router`)
  }
  if (provider === undefined || model === undefined)
    return invalid(
      'A provider is named with its model.',
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
