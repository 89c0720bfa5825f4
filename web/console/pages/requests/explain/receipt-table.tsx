import type { ReactNode } from 'react'
import { AlignedNumber, decimalsOf } from '#web/ui/charts/aligned-number.tsx'
import type { Told } from './waterfall-phases.ts'
import { receiptsOf } from './receipt-lines.ts'
import { SmallTable } from './explanation-table.tsx'

const heads = [
  { words: 'Item' },
  { words: 'Units', isNumber: true },
  { words: 'Rate', isNumber: true },
  { words: 'Amount', isNumber: true },
]

export function Receipt({ told }: { readonly told: Told }): ReactNode {
  return (
    <div className="flex max-w-prose flex-col gap-8">
      {receiptsOf(told).map(({ about, amount, exact, lines, multiplier, title }) => {
        const decimals = decimalsOf([...lines.map((one) => one.amount), exact, amount])
        const money = (text: string): ReactNode => <AlignedNumber text={text} decimals={decimals} />
        return (
          <div key={title}>
            <h3 className="text-14 font-medium">{title}</h3>
            <p className="mb-1 text-13 text-ink-2">{about}</p>
            <SmallTable
              label={`Receipt: ${title}`}
              heads={heads}
              rows={lines.map((one) => ({
                key: one.key,
                cells: [one.what, one.units, one.rate, money(one.amount)],
              }))}
              foot={[
                ...(amount === exact
                  ? []
                  : [
                      [
                        <span key="sum" className="font-normal text-ink-2">
                          Exact sum{multiplier !== null && `, × ${multiplier} for the service tier`}
                        </span>,
                        '',
                        '',
                        <span key="exact" className="font-normal">
                          {money(exact)}
                        </span>,
                      ],
                    ]),
                [
                  amount === exact
                    ? `Sum${multiplier === null ? '' : `, × ${multiplier} for the service tier`}`
                    : 'Total, rounded up',
                  '',
                  '',
                  money(amount),
                ],
              ]}
            />
          </div>
        )
      })}
    </div>
  )
}
