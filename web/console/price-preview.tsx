/** Compares old and new rates, and the cost of the last seven days' requests at both. */
import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import type { Price, UsageRow } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { moneyText } from '#web/ui/money-text.ts'
import { useNow } from '#web/ui/now.ts'
import { Count, Money, Nothing } from '#web/ui/values.tsx'
import { call } from './calls.ts'
import { dimensionWords, namedDimensions, perWords } from './price-text.ts'
import { nothingRepriced, repriced, type PriceSide, type Proof, type Repriced } from './repriced.ts'
import { scopeOptions, useScope } from './scope.ts'
import { useMay } from './session.ts'

/** This many records are read in one or two seconds. */
const recordsMax = 20_000
const weekMs = 7 * 86_400_000

export interface Traffic {
  readonly side: PriceSide
  readonly isOne: (row: UsageRow) => boolean
  /** Prices that such calls were charged at. */
  readonly known: readonly Proof[]
  /** Which calls these are, in words, and a key for what was read. */
  readonly words: string
}

export function PricePreview({
  after,
  before,
  traffic,
}: {
  readonly before: Price | null
  readonly after: Price
  readonly traffic: Traffic
}): ReactNode {
  const mayRead = useMay('developer')
  const scope = useScope()
  const [isAsked, setAsked] = useState(false)
  const nowMs = useNow(60_000)
  const read = useQuery({
    queryKey: ['usage', 'export', 'week', traffic.words, scope],
    queryFn: ({ signal }) => weekOf(traffic.isOne, nowMs, scope, signal),
    enabled: isAsked && mayRead,
    staleTime: 60_000,
  })
  const told = read.data && toldOf(read.data, after, traffic)
  return (
    <div className="flex flex-col gap-3" data-preview>
      <RateChanges before={before} after={after} />
      {!isAsked && (
        <div>
          <Button size="small" onClick={() => setAsked(true)} disabled={!mayRead}>
            Price the last 7 days again
          </Button>
          {!mayRead && <span className="ml-2 text-13 text-ink-3">Developers may read usage records.</span>}
        </div>
      )}
      {read.isFetching && <p className="text-13 text-ink-2">Reading the calls of the last 7 days…</p>}
      {read.error && <FailureNote error={read.error} onRetry={() => void read.refetch()} />}
      {told && <Told told={told} traffic={traffic} />}
    </div>
  )
}

function RateChanges({ after, before }: { readonly before: Price | null; readonly after: Price }): ReactNode {
  const dimensions = namedDimensions(before, after)
  if (dimensions.length === 0) return null
  return (
    <table className="w-full border-collapse text-14" aria-label="Rates now and then">
      <thead>
        <tr className="text-13 text-ink-3">
          <th scope="col" className="border-b border-line py-1 text-left font-medium">
            Rate
          </th>
          <th scope="col" className="border-b border-line py-1 text-right font-medium">
            now
          </th>
          <th scope="col" className="border-b border-line py-1 text-right font-medium">
            new
          </th>
          <th scope="col" className="border-b border-line py-1 text-right font-medium">
            change
          </th>
        </tr>
      </thead>
      <tbody>
        {dimensions.map((dimension) => {
          const old = before?.[dimension]
          const next = after[dimension]
          return (
            <tr key={dimension}>
              <th scope="row" className="border-b border-line py-1 text-left font-normal">
                {dimensionWords[dimension]} <span className="text-13 text-ink-3">{perWords(dimension)}</span>
              </th>
              <td className="border-b border-line py-1 text-right">
                <Money micros={old} reason="no rate" />
              </td>
              <td className="border-b border-line py-1 text-right">
                <Money micros={next} reason="no rate" />
              </td>
              <td className="border-b border-line py-1 text-right">
                {old === undefined || next === undefined ? (
                  <Nothing reason="there is nothing to compare with" />
                ) : (
                  <span className="figures">{moneyText(BigInt(next) - BigInt(old), { sign: true })}</span>
                )}
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

function Told({ told, traffic }: { readonly told: Repriced; readonly traffic: Traffic }): ReactNode {
  const verb = traffic.side === 'sell' ? 'billed' : 'cost'
  if (told.calls === 0)
    return <p className="text-14 text-ink-2">No charged call of {traffic.words} in the last 7 days.</p>
  const untold = told.calls - told.told
  return (
    <div className="flex flex-col gap-1 text-14" role="status">
      {told.told > 0 && (
        <p>
          <Count of={told.told} /> {told.told === 1 ? 'call' : 'calls'} of {traffic.words} {verb}{' '}
          <Money micros={told.beforeMicros} /> in the last 7 days. At the new price:{' '}
          <Money micros={told.afterMicros} className="font-medium" /> (
          <span className="figures">{moneyText(told.afterMicros - told.beforeMicros, { sign: true })}</span>
          ).
        </p>
      )}
      {untold > 0 && (
        <p className="text-13 text-ink-2">
          <Count of={untold} /> more cannot be told exactly: they were charged at another price, used more
          than was held, or used units that records do not tell apart.
        </p>
      )}
      {told.isCut && (
        <p className="text-13 text-ink-2">
          Only <Count of={recordsMax} /> records were read; there are more.
        </p>
      )}
    </div>
  )
}

interface Week {
  readonly rows: readonly UsageRow[]
  readonly isCut: boolean
}

/** Charged calls of the last seven days that are meant. */
async function weekOf(
  isOne: Traffic['isOne'],
  nowMs: number,
  scope: Parameters<typeof scopeOptions>[0],
  signal: AbortSignal,
): Promise<Week> {
  const from = new Date(nowMs - weekMs).toISOString()
  const rows: UsageRow[] = []
  let read = 0
  for await (const row of call('usage.export', { from }, { ...scopeOptions(scope), signal })) {
    // Corrections have amounts and no units that a price could apply to.
    if (!('settledAt' in row) || row.kind !== 'usage') continue
    read += 1
    if (isOne(row)) rows.push(row)
    if (read >= recordsMax) return { rows, isCut: true }
  }
  return { rows, isCut: false }
}

function toldOf({ isCut, rows }: Week, next: Price, traffic: Traffic): Repriced {
  let so: Repriced = { ...nothingRepriced, isCut }
  for (const row of rows) so = repriced(so, row, next, traffic)
  return so
}
