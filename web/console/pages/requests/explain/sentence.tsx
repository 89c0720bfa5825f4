import type { ReactNode } from 'react'
import type { RequestsExplainOutput } from '#sdk/generated/requests.ts'
import { inDollars } from '#cli/output/call-words.ts'
import { moneyText } from '#web/ui/money-text.ts'

/** What happened, in the server's words, with amounts in dollars: everything for whoever reads no charts. */
export function Sentence({ told }: { readonly told: Pick<RequestsExplainOutput, 'summary'> }): ReactNode {
  return (
    <p className="figures max-w-prose text-20 font-medium wrap-anywhere" dir="auto" data-sentence>
      {inDollars(told.summary, moneyText)}
    </p>
  )
}
