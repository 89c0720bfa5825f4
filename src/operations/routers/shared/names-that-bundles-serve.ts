import type { Mode } from '#domain/billing/money-account-key.ts'
import type { BundleRecord } from '#domain/billing/bundle-record.ts'
import type { Page, Position, Rows } from '#domain/list-page.ts'
import type { AliasRecord } from '#domain/model-name-record.ts'
import { servingOf } from '#domain/sources-serving-model-name.ts'
import type { Price } from '#money/price.ts'
import type { RouterRecord } from '#domain/router-records.ts'
import { isBasisUndecided } from '#operations/bundles/shared/debit-basis-warning.ts'
import type { ApplicationContext } from '#operations/kernel/operation-context.ts'
import type { ModelState, PricedSource } from '#operations/models/shared/model-status.ts'
import { modelReader } from '#operations/models/shared/model-view.ts'
import { Sales, type SellableName } from './names-sold-in-bundles.ts'
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
  /** Whether the bundle allows no name that is served. */
  readonly isEmpty: boolean
  readonly isBasisUndecided: boolean
}

export interface ServedNames {
  readonly models: readonly NamedModel[]
  readonly routers: readonly NamedRouter[]
  readonly bundles: readonly SoldBundle[]
  /** Names that at least one bundle serves. */
  readonly sold: ReadonlySet<string>
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
      servesPriced: (await stateOf(router, true)).isServing,
      servesUnpriced: (await stateOf(router, false)).isServing,
    })),
  )
  const names = [
    ...models.map((model) => sellableModel(model, context.mode)),
    ...routers.map(({ router: { name }, servesPriced, servesUnpriced }) => ({
      name,
      isServed: (own: Price | null) => (own === null ? servesUnpriced : servesPriced),
    })),
  ]
  const sales = new Sales(names)
  const bundles: SoldBundle[] = []
  await eachPage(
    (page) => store.bundles.list(application.id, page),
    async (rows) => {
      const prices = await Promise.all(rows.map(({ id }) => store.bundles.prices(id)))
      for (const [at, bundle] of rows.entries()) {
        const ownPrices = prices[at] ?? []
        const own = new Map(ownPrices.map(({ alias, price }) => [alias, price]))
        bundles.push({
          bundle,
          isEmpty: !sales.sells(bundle, own),
          isBasisUndecided: isBasisUndecided(bundle, ownPrices),
        })
      }
    },
  )
  return { models, routers, bundles, sold: sales.sold }
}

function sellableModel({ alias, sources }: Omit<NamedModel, 'state'>, mode: Mode): SellableName {
  const { isDisabled, name } = alias
  const priced = sources.map(({ model, price, provider }) => ({ account: provider, model, price }))
  const isServed = (own: Price | null): boolean =>
    servingOf({ isDisabled, sources: priced }, own, mode).kind === 'served'
  const isServedAtCost = isServed(null)
  return { name, isServed: (own) => (own === null ? isServedAtCost : isServed(own)) }
}

const rowsAtOnce = 200

async function allRows<Row>(list: (page: Page) => Promise<Rows<Row>>): Promise<Row[]> {
  const all: Row[] = []
  await eachPage(list, (rows) => void all.push(...rows))
  return all
}

async function eachPage<Row>(
  list: (page: Page) => Promise<Rows<Row>>,
  each: (rows: readonly Row[]) => Promise<void> | void,
): Promise<void> {
  let after: Position | null = null
  do {
    // oxlint-disable-next-line no-await-in-loop -- each page names the next
    const page: Rows<Row> = await list({ limit: rowsAtOnce, after })
    // oxlint-disable-next-line no-await-in-loop -- as above
    await each(page.rows)
    after = page.next
  } while (after !== null)
}
