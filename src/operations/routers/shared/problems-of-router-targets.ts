import { canBeAssumed, lackingRates, servesMode } from '#domain/sources-serving-model-name.ts'
import { accountPrice } from '#domain/prices/price-of-account.ts'
import { rateNames } from '#domain/prices/text-of-rate-names.ts'
import type { Provider } from '#domain/accounts/provider-account-record.ts'
import type { AliasRecord, AliasRecordSource } from '#domain/model-name-record.ts'
import type { RouterRecord, RouterTargetRecord } from '#domain/router-records.ts'
import { priceToJson, type Dimension } from '#money/price.ts'
import type { InApplication } from '#operations/kernel/operation-context.ts'
import { modelReader } from '#operations/models/shared/model-view.ts'
import type { OperationCall } from '#operations/kernel/suggested-call.ts'

export interface TargetProblem {
  readonly code: 'disabled' | 'unpriced' | 'test_only' | 'removed' | 'empty'
  readonly reason: string
  readonly mend: OperationCall
}

export interface RouterState {
  readonly isServing: boolean
  /** Null if the target can serve requests. */
  readonly problems: readonly (TargetProblem | null)[]
  /**
   * Targets without a complete price that are used because a bundle has a price for the router's name. The gateway
   * assumes their costs.
   */
  readonly assumed: readonly TargetProblem[]
}

/**
 * Considers only facts that are the same for all requests. Names, accounts and prices are read once for all routers.
 * @returns a function whose argument `isPriced` states whether a bundle has a price for the router's name. If so, the
 *   router also uses targets without a price. If `isPriced` is omitted, the prices of all bundles decide.
 */
export function routerReader(
  context: InApplication,
): (router: RouterRecord, isPriced?: boolean) => Promise<RouterState> {
  const { application, mode, nowMs, organization, store } = context
  const models = modelReader(context)
  let world: Promise<World> | null = null
  const read = async (): Promise<World> => ({
    accounts: await store.providers.all(organization.id),
    aliases: new Map((await store.aliases.all(application.id)).map((alias) => [alias.name, alias])),
    routers: new Map((await store.routers.all(application.id)).map((router) => [router.name, router])),
  })

  const sourceProblem = async (
    { accountId, model }: AliasRecordSource,
    isPricedByBundle: boolean,
    { accounts }: World,
  ): Promise<TargetProblem | null> => {
    const account = accounts.find(({ id }) => id === accountId)
    if (!account) return gone('provider account', accountId)
    if (!servesMode(account.kind, mode)) return testOnly(`${account.label} is a simulator`)
    const own = await store.providers.prices(account.id)
    const override = own.find((price) => price.model === model)?.price ?? null
    const price = accountPrice(account, model, override, nowMs)
    const lacking = lackingRates({ account, model, price })
    if (lacking.length === 0 || (isPricedByBundle && canBeAssumed(lacking))) return null
    return unpriced(account.label, model, lacking, priceToJson(price ?? {}))
  }

  const problemOf = async (
    { to }: RouterTargetRecord,
    isPricedByBundle: boolean,
    known: World,
  ): Promise<TargetProblem | null> => {
    if (to.kind === 'source') return sourceProblem(to, isPricedByBundle, known)
    if (to.kind === 'router') {
      const router = known.routers.get(to.name)
      if (!router) return gone('router', to.name)
      const problems = await problemsOf(router, isPricedByBundle, known)
      const [first] = problems
      if (problems.includes(null) || !first) return null
      return {
        code: 'empty',
        reason: `no target of the router ${to.name} can be used: ${first.reason}`,
        mend: first.mend,
      }
    }
    const alias = known.aliases.get(to.name)
    if (!alias) return gone('model', to.name)
    if (alias.isDisabled) {
      const path = `/v1/models/${to.name}/enable`
      return {
        code: 'disabled',
        reason: `the model ${to.name} is disabled`,
        mend: { operation: 'models.enable', method: 'POST', path, body: null },
      }
    }
    const { isAssumable, missing, status } = await models.state(alias)
    if (status === 'test_only') return testOnly(`every source of the model ${to.name} is a simulator`)
    if (!missing || (isPricedByBundle && isAssumable)) return null
    return unpriced(missing.account, missing.model, missing.dimensions, priceToJson(missing.price ?? {}))
  }

  // Saved routers are at most four levels deep (routing/validate-routers.ts).
  const problemsOf = (
    { targets }: RouterRecord,
    isPricedByBundle: boolean,
    known: World,
  ): Promise<(TargetProblem | null)[]> =>
    Promise.all(targets.map((target) => problemOf(target, isPricedByBundle, known)))

  return async (router, isPriced) => {
    world ??= read()
    const known = await world
    const own = await problemsOf(router, false, known)
    // A bundle's price is used if no source has a price (domain/sources-serving-model-name.ts).
    const isPricedByBundle = async (): Promise<boolean> =>
      isPriced ?? (await store.aliases.pricedIn(application.id, router.name)).length > 0
    const problems =
      own.includes(null) || !(await isPricedByBundle()) ? own : await problemsOf(router, true, known)
    const assumed = own.filter((problem, at) => problem?.code === 'unpriced' && problems[at] === null)
    return { isServing: problems.includes(null), problems, assumed: assumed.flatMap((one) => one ?? []) }
  }
}

interface World {
  readonly accounts: readonly Provider[]
  readonly aliases: ReadonlyMap<string, AliasRecord>
  readonly routers: ReadonlyMap<string, RouterRecord>
}

function gone(resource: 'model' | 'router' | 'provider account', name: string): TargetProblem {
  const calls = {
    model: { operation: 'models.add', path: `/v1/models/${name}` },
    router: { operation: 'routers.add', path: `/v1/routers/${name}` },
    'provider account': { operation: 'providers.connect', path: '/v1/providers/main' },
  }
  const bodies = {
    model: { sources: [{ provider: 'main', model: 'gpt-5-mini' }] },
    router: { policy: 'priority', targets: [{ alias: 'acme/smart' }] },
    'provider account': { kind: 'openai', apiKey: '<the key of your account there>' },
  }
  return {
    code: 'removed',
    reason: `the ${resource} ${name} was deleted`,
    mend: { ...calls[resource], method: 'PUT', body: bodies[resource] },
  }
}

function testOnly(fact: string): TargetProblem {
  return {
    code: 'test_only',
    reason: `${fact}, which does not serve live requests`,
    mend: {
      operation: 'providers.connect',
      method: 'PUT',
      path: '/v1/providers/main',
      body: { kind: 'openai', apiKey: '<the key of your account there>' },
    },
  }
}

function unpriced(label: string, model: string, lacking: readonly Dimension[], known: object): TargetProblem {
  const rates = Object.fromEntries(lacking.map((name) => [name, '1000000']))
  return {
    code: 'unpriced',
    reason: `${label} has no price for ${rateNames(lacking)} of ${model}`,
    mend: {
      operation: 'providers.price',
      method: 'POST',
      path: `/v1/providers/${label}/price`,
      body: { model, price: { ...known, ...rates } },
    },
  }
}
