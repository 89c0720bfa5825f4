import { useState, type ReactNode } from 'react'
import type { BillLine, Tier } from '#sdk/generated/types.ts'
import { Button } from '#web/ui/button.tsx'
import { Confirm } from '#web/ui/confirm-dialog.tsx'
import { DataTable, type Column } from '#web/ui/data-table.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { Facts, PageHead, Section } from '#web/ui/page-head-and-sections.tsx'
import { Note, Skeleton, State } from '#web/ui/status-notes-and-placeholders.tsx'
import { toast } from '#web/ui/toast.tsx'
import { exactTimeText } from '#web/ui/number-text.ts'
import { Count, Money, Nothing } from '#web/ui/formatted-values.tsx'
import type { Known } from '#web/ui/known-words.ts'
import { useAnswer, useChange, type AnswerOf } from '../../operations/use-operation.ts'
import { CopyAs } from '../../copy-as-code.tsx'
import { useSearchText } from '../../url-parameters.ts'
import { useMay } from '../../sign-in/member-session.ts'

export default function Bill(): ReactNode {
  const [period, setPeriod] = useSearchText('period')
  const { data: bill, error, refetch } = useAnswer('bill.show', period === null ? {} : { period })
  const { data: tiers } = useAnswer('bill.tiers', {})
  return (
    <>
      <PageHead
        title="Bill"
        about="Your organization's bill for Tollgate. The bill is computed from the ledger."
        action={<CopyAs operation="bill.show" input={period === null ? {} : { period }} />}
      />
      {error && <FailureNote error={error} title="The bill can't be shown." onRetry={() => void refetch()} />}
      {!error && !bill && <Skeleton className="h-40 w-full" />}
      {bill && <Month bill={bill} />}
      {bill && bill.past.length > 0 && (
        <Section title="Earlier months">
          <ul className="flex flex-col">
            {bill.past.map(({ period: month, totalMicros }) => (
              <li key={month} className="flex items-center justify-between border-b border-line py-2">
                <button type="button" className="text-accent underline" onClick={() => setPeriod(month)}>
                  {monthText(month)}
                </button>
                <Money micros={totalMicros} />
              </li>
            ))}
          </ul>
        </Section>
      )}
      {/* The tiers must not move when the bill loads. */}
      {(bill || error) && tiers && <Tiers {...tiers} />}
    </>
  )
}

/** For example, `November 2026` for `2026-11`. */
function monthText(month: string): string {
  return monthFormat.format(Date.parse(`${month}-01T00:00:00Z`))
}

const monthFormat = new Intl.DateTimeFormat('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' })

const statuses: Readonly<Record<string, string>> = {
  open: 'open until the end of the month',
  closing: 'closing, requests may still settle',
  issued: 'issued',
}

const kinds: Readonly<Record<string, string>> = {
  base: 'Tier base price',
  upgrade: 'Upgrade to a higher tier',
  calls: 'Settled requests above the included number',
  seats: 'Members above the included number',
  late_calls: 'Requests settled after their bill was issued',
} satisfies Readonly<Record<Known<BillLine['kind']>, string>>

const columns: readonly Column<BillLine>[] = [
  { id: 'what', head: 'Item', cell: ({ kind }) => kinds[kind] ?? kind },
  {
    id: 'tier',
    head: 'Tier',
    cell: ({ tier }) => tier ?? <Nothing reason="The item is not part of a tier" />,
  },
  { id: 'days', head: 'Days', isNumber: true, cell: ({ days }) => <Count of={days} /> },
  { id: 'quantity', head: 'Quantity', isNumber: true, cell: ({ quantity }) => <Count of={quantity} /> },
  { id: 'included', head: 'Included', isNumber: true, cell: ({ included }) => <Count of={included} /> },
  {
    id: 'unit',
    head: 'Unit price',
    isNumber: true,
    cell: ({ kind, unitMicros }) => (
      <>
        <Money micros={unitMicros} reason="The item has several unit prices" />
        {kind === 'calls' && <span className="text-ink-3"> per thousand</span>}
      </>
    ),
  },
  {
    id: 'amount',
    head: 'Amount',
    isNumber: true,
    cell: ({ amountMicros }) => <Money micros={amountMicros} aligned />,
  },
]

function Month({ bill }: { readonly bill: AnswerOf<'bill.show'> }): ReactNode {
  return (
    <Section
      title={`${monthText(bill.period)}, tier ${bill.tier}`}
      action={
        <State
          tone={bill.status === 'issued' ? 'positive' : 'held'}
          words={statuses[bill.status] ?? bill.status}
        />
      }
    >
      <p className="figures mb-4 text-40 font-semibold">
        <Money micros={bill.totalMicros} />
      </p>
      {bill.projection && (
        <p className="mb-4 text-ink-2">
          At the current rate, the month ends with <Count of={bill.projection.settledCalls} /> settled
          requests and a total of <Money micros={bill.projection.totalMicros} />.
        </p>
      )}
      <DataTable
        label="Bill lines"
        name="bill"
        columns={columns}
        rows={{ rows: bill.lines }}
        rowKey={({ kind, period, tier, unitMicros }) => `${kind} ${period} ${tier} ${unitMicros}`}
        empty={<p className="border-y border-line py-4 text-ink-2">No charges this month.</p>}
      />
      <Facts
        className="mt-6 max-w-prose"
        facts={[
          ['Settled requests', <Count key="calls" of={bill.settledCalls} />],
          ['Members', <Count key="seats" of={bill.seats} />],
          ['From', exactTimeText(bill.startsAt)],
          ['To', exactTimeText(bill.endsAt)],
          ['Price table', bill.table],
          [
            'Digest',
            <code key="digest" className="text-13 wrap-anywhere">
              {bill.digest}
            </code>,
          ],
        ]}
      />
    </Section>
  )
}

function Tiers({ current, tiers }: AnswerOf<'bill.tiers'>): ReactNode {
  const [moving, setMoving] = useState<Tier | null>(null)
  const isOwner = useMay('owner')
  const subscribe = useChange('bill.subscribe')
  const now = tiers.find(({ tier }) => tier === current.tier)
  const isLess = moving !== null && now !== undefined && BigInt(moving.baseMicros) < BigInt(now.baseMicros)
  return (
    <Section
      title="Tiers"
      about="Upgrades take effect immediately and are billed for the remaining days. Downgrades take effect next month."
    >
      {current.next && (
        <div className="mb-4">
          <Note tone="held">
            The organization switches to {current.next.tier} on {exactTimeText(current.next.from)}.
          </Note>
        </div>
      )}
      <div className="grid gap-px overflow-hidden rounded border border-line bg-line tablet:grid-cols-3">
        {tiers.map((tier) => (
          <div key={tier.tier} className="flex flex-col gap-3 bg-surface p-4">
            <h3 className="font-semibold">
              {tier.tier}
              {tier.tier === current.tier && <span className="font-normal text-ink-3"> (current)</span>}
            </h3>
            <p className="text-20 font-semibold">
              <Money micros={tier.baseMicros} />{' '}
              <span className="text-13 font-normal text-ink-3">per month</span>
            </p>
            <ul className="flex-1 text-13 text-ink-2">
              <li>
                <Count of={tier.includedCalls} /> settled requests, then{' '}
                <Money micros={tier.perThousandCallsMicros} /> per thousand
              </li>
              <li>
                <Count of={tier.includedSeats} /> members, then <Money micros={tier.perSeatMicros} /> each
              </li>
            </ul>
            {tier.tier !== current.tier && (
              <Button
                disabled={!isOwner}
                title={isOwner ? undefined : 'Changing the tier requires the owner role.'}
                onClick={() => setMoving(tier)}
              >
                Switch to {tier.tier}
              </Button>
            )}
          </div>
        ))}
      </div>
      {moving && (
        <Confirm
          isOpen
          onClose={() => setMoving(null)}
          title={`Switch to ${moving.tier}?`}
          action={`Switch to ${moving.tier}`}
          onConfirm={async () => {
            await subscribe.mutateAsync({ tier: moving.tier as 'free' })
            toast(
              isLess
                ? `The organization switches to ${moving.tier} next month.`
                : `The organization is now on ${moving.tier}.`,
            )
          }}
        >
          <p>
            {isLess
              ? 'The new tier takes effect on the first day of next month. The current tier applies until then.'
              : 'The new tier takes effect immediately. The difference for the remaining days is added to this month’s bill.'}{' '}
            The base price is <Money micros={moving.baseMicros} /> per month.
          </p>
          <CopyAs operation="bill.subscribe" input={{ tier: moving.tier }} />
        </Confirm>
      )}
    </Section>
  )
}
