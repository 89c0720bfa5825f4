import type { ReactNode } from 'react'
import type { RequestsExplainOutput } from '#sdk/generated/requests.ts'
import { inDollars } from '#explain/amounts-in-explanation-text.ts'
import { moneyText } from '#web/ui/money-text.ts'

/** Helps readers who do not use charts. */
export function Sentence({
  isWhole = true,
  told: { refusal, summary },
}: {
  readonly told: Pick<RequestsExplainOutput, 'summary' | 'refusal'>
  readonly isWhole?: boolean
}): ReactNode {
  const fix = refusal?.fix ?? ''
  const said =
    !isWhole && fix !== '' && summary.endsWith(fix) ? summary.slice(0, -fix.length).trim() : summary
  return (
    <p className="figures max-w-prose text-20 font-medium wrap-anywhere" dir="auto" data-sentence>
      {inDollars(said, moneyText)}
    </p>
  )
}
