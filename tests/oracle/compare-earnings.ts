import type { Paid } from './naive-types.ts'

export const groupings = ['endUser', 'model', 'bundle', 'provider', 'key', 'day', 'run', 'team'] as const

export type Groups = Readonly<Record<(typeof groupings)[number], string>>

export interface Sums extends Paid {
  calls: bigint
  cost: bigint
  billed: bigint
  charge: bigint
  overHold: bigint
}

const fields: Readonly<Record<keyof Sums, string>> = {
  calls: 'calls',
  cost: 'costMicros',
  billed: 'billedMicros',
  charge: 'chargeMicros',
  overHold: 'overHoldMicros',
  plan: 'paidFromPlanMicros',
  gift: 'paidFromGiftMicros',
  wallet: 'paidFromWalletMicros',
  onDemand: 'onDemandMicros',
  overdraft: 'overdraftMicros',
}

const figures = Object.keys(fields) as (keyof Sums)[]

const nothing: Readonly<Sums> = {
  calls: 0n,
  cost: 0n,
  billed: 0n,
  charge: 0n,
  overHold: 0n,
  plan: 0n,
  gift: 0n,
  wallet: 0n,
  onDemand: 0n,
  overdraft: 0n,
}

export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

// oxlint-disable-next-line typescript/no-explicit-any -- a row of a response
type Row = any

const groupOf: Readonly<Record<(typeof groupings)[number], (row: Row, books: NaiveBooks) => string | null>> =
  {
    endUser: (row) => row.endUserId,
    model: (row) => row.requestedModel,
    bundle: (row) => row.bundle,
    provider: (row) => row.provider,
    key: (row) => row.keyId,
    day: (row) => row.day,
    run: (row) => (row.run === null ? null : `${row.run.outcome}/${row.run.runId}`),
    // For a deleted team, the report contains the payer instead of the slug.
    team: (row, { payers }) => payers.get(row.team) ?? row.team,
  }

interface Billed {
  readonly fees: Readonly<Record<'endUser' | 'bundle', ReadonlyMap<string, bigint>>>
  readonly invoiced: ReadonlyMap<string, bigint>
}

interface Reports {
  api(method: string, path: string): Promise<Row>
}

export class NaiveBooks {
  readonly #sums = new Map<string, Sums>()
  /** Each payer has only one team slug. */
  readonly payers = new Map<string, string>()

  add(groups: Groups, change: Partial<Sums>): void {
    for (const by of groupings) {
      const key = `${by} ${groups[by]}`
      const sums = this.#sums.get(key) ?? { ...nothing }
      for (const figure of figures) sums[figure] += change[figure] ?? 0n
      this.#sums.set(key, sums)
    }
  }

  /** Deletes the sums after the comparison. */
  async compare(world: Reports, from: number, until: number, billed: Billed): Promise<void> {
    for (const by of groupings) {
      // oxlint-disable-next-line no-await-in-loop -- one report after the other
      await this.#compareBy(world, by, `by=${by}&from=${dayOf(from)}&to=${dayOf(until + 86_400_000)}`, billed)
    }
    this.#sums.clear()
  }

  async #compareBy(
    world: Reports,
    by: (typeof groupings)[number],
    query: string,
    { fees, invoiced }: Billed,
  ): Promise<void> {
    const rows: Row[] = []
    let totals: Row = null
    for (let cursor: string | null = ''; cursor !== null;) {
      // oxlint-disable-next-line no-await-in-loop -- each page names the next
      const page: Row = await world.api(
        'GET',
        `/v1/margin?${query}&limit=200${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      )
      rows.push(...page.data)
      totals = page.totals
      cursor = page.nextCursor
    }
    const shown = new Map<string, string>()
    let rowsTogether = { ...nothing }
    for (const row of rows) {
      rowsTogether = plus(rowsTogether, row)
      const group = groupOf[by](row, this)
      const text = textOf(row)
      if (group === null && text === sumsText(nothing)) continue
      if (text !== sumsText(nothing)) shown.set(`${by} ${group ?? 'none'}`, text)
      const earned = BigInt(row.subscriptionMicros ?? 0)
      const fee = by === 'endUser' || by === 'bundle' ? (fees[by].get(group ?? '') ?? 0n) : null
      if (fee !== null && earned !== fee)
        throw new Error(`margin of ${group}: subscriptions earned ${earned}, and must be ${fee}`)
      // An invoice may have been issued after a history ended on an earlier day. The invoiced amount of its end user is
      // not compared.
      if (
        by === 'endUser' &&
        invoiced.has(group ?? '') &&
        BigInt(row.invoicedMicros) !== invoiced.get(group ?? '')
      )
        throw new Error(
          `margin of ${group}: invoiced ${row.invoicedMicros}, and must be ${invoiced.get(group ?? '')}`,
        )
      const revenue = earned + BigInt(row.paidFromWalletMicros) + BigInt(row.onDemandMicros)
      if (BigInt(row.revenueMicros) !== revenue)
        throw new Error(
          `margin by ${by}: revenue of ${group} is ${row.revenueMicros}, its parts are ${revenue}`,
        )
      if (BigInt(row.marginMicros) !== revenue - BigInt(row.costMicros))
        throw new Error(`margin by ${by}: margin of ${group} is not revenue less cost`)
    }
    const together = { ...nothing }
    for (const [key, sums] of this.#sums) {
      if (!key.startsWith(`${by} `)) continue
      for (const figure of figures) together[figure] += sums[figure]
      const expected = sumsText(sums)
      if ((shown.get(key) ?? sumsText(nothing)) !== expected)
        throw new Error(
          `margin by ${key}, ${query}\n  it is         ${shown.get(key)}\n  and must be   ${expected}`,
        )
      shown.delete(key)
    }
    if (shown.size > 0) throw new Error(`margin by ${by}: more groups: ${[...shown].slice(0, 5).join('; ')}`)
    const expected = sumsText(together)
    for (const [what, text] of [
      ['totals', textOf(totals)],
      ['all rows', sumsText(rowsTogether)],
    ] as const)
      if (text !== expected)
        throw new Error(`${what} of margin by ${by}\n  it is         ${text}\n  and must be   ${expected}`)
    const allFees = [...fees.endUser.values()].reduce((sum, fee) => sum + fee, 0n)
    if (BigInt(totals.subscriptionMicros ?? 0) !== allFees)
      throw new Error(`margin by ${by}: subscriptions ${totals.subscriptionMicros}, and must be ${allFees}`)
  }
}

function textOf(row: Row): string {
  return figures.map((figure) => `${fields[figure]} ${row[fields[figure]]}`).join(', ')
}

function sumsText(sums: Sums): string {
  return figures.map((figure) => `${fields[figure]} ${sums[figure]}`).join(', ')
}

function plus(sums: Sums, row: Row): Sums {
  const sum = { ...sums }
  for (const figure of figures) sum[figure] += BigInt(row[fields[figure]])
  return sum
}
