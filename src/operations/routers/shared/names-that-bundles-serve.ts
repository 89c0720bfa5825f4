import type { Mode } from '#domain/billing/money-account-key.ts'
import type { BundleRecord } from '#domain/billing/bundle-record.ts'
import type { Page, Position, Rows } from '#domain/list-page.ts'
import type { AliasRecord } from '#domain/model-name-record.ts'
import { servingOf } from '#domain/sources-serving-model-name.ts'
import { isAllowed } from '#money/model-name-pattern.ts'
import type { RouterRecord } from '#domain/router-records.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import type { ModelState, PricedSource } from '#operations/models/shared/model-status.ts'
import { modelReader } from '#operations/models/shared/model-view.ts'
import { routerReader, type RouterState } from './problems-of-router-targets.ts'

export interface NamedModel {
  readonly alias: AliasRecord
  readonly sources: readonly PricedSource[]
  readonly state: ModelState
}

export interface NamedRouter {
  readonly router: RouterRecord
  readonly state: RouterState
}

export interface SoldBundle {
  readonly bundle: BundleRecord
  readonly serves: readonly string[]
}

export interface ServedNames {
  readonly models: readonly NamedModel[]
  readonly routers: readonly NamedRouter[]
  readonly bundles: readonly SoldBundle[]
}

/** The gateway decides by the same rules (domain/sources-serving-model-name.ts). */
export async function servedNames(context: ApplicationContext): Promise<ServedNames> {
  const { application, store } = context
  const reader = modelReader(context)
  const stateOf = routerReader(context)
  const aliases = await allRows((page) => store.aliases.list(application.id, page))
  const models = await Promise.all(
    aliases.map(async (alias) => ({
      alias,
      sources: await reader.sources(alias),
      state: await reader.state(alias),
    })),
  )
  const routers = await Promise.all(
    (await store.routers.all(application.id)).map(async (router) => ({
      router,
      state: await stateOf(router),
    })),
  )
  const bundles = await allRows((page) => store.bundles.list(application.id, page))
  return {
    models,
    routers,
    bundles: await Promise.all(
      bundles.map(async (bundle) => {
        const prices = await store.bundles.prices(bundle.id)
        const own = new Map(prices.map(({ alias, price }) => [alias, price]))
        const serves = models.filter(
          ({ alias, sources }) =>
            isAllowed(alias.name, bundle.allow, bundle.deny) && isServed(alias, sources, own, context.mode),
        )
        const names = serves.map(({ alias }) => alias.name)
        for (const { router } of routers) {
          if (!isAllowed(router.name, bundle.allow, bundle.deny)) continue
          const isPriced = (own.get(router.name) ?? null) !== null
          // oxlint-disable-next-line no-await-in-loop -- all needed rows are read already
          if ((await stateOf(router, isPriced)).isServing) names.push(router.name)
        }
        return { bundle, serves: names }
      }),
    ),
  }
}

function isServed(
  { isDisabled, name }: AliasRecord,
  sources: readonly PricedSource[],
  own: ReadonlyMap<string, Parameters<typeof servingOf>[1]>,
  mode: Mode,
): boolean {
  const priced = sources.map(({ model, price, provider }) => ({ account: provider, model, price }))
  return servingOf({ isDisabled, sources: priced }, own.get(name) ?? null, mode).kind === 'served'
}

const rowsAtOnce = 200

async function allRows<Row>(list: (page: Page) => Promise<Rows<Row>>): Promise<Row[]> {
  const all: Row[] = []
  let after: Position | null = null
  do {
    // oxlint-disable-next-line no-await-in-loop -- each page names the next
    const page: Rows<Row> = await list({ limit: rowsAtOnce, after })
    all.push(...page.rows)
    after = page.next
  } while (after !== null)
  return all
}
