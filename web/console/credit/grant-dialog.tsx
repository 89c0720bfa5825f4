import type { ReactNode } from 'react'
import type { EndUser } from '#sdk/generated/types.ts'
import { MoneyField, moneyFault, TextField, useForm } from '#web/ui/form.tsx'
import { microsOfText, moneyText } from '#web/ui/money-text.ts'
import { useNow } from '#web/ui/current-time-hooks.ts'
import { toast } from '#web/ui/toast.tsx'
import { Money } from '#web/ui/formatted-values.tsx'
import { useChange } from '../operations/use-operation.ts'
import { reasonHelp, reasonMissing } from '../help-and-errors-of-fields.ts'
import { FormDialog } from '../form-dialog.tsx'
import {
  noSpan,
  SpanFields,
  spanFaults,
  spanOf,
  startsNow,
  type SpanValues,
} from './start-and-expiry-fields.tsx'
import { useSendOnce } from './send-once.ts'

export function GrantDialog({
  onClose,
  user,
}: {
  readonly user: EndUser
  readonly onClose: () => void
}): ReactNode {
  const issue = useChange('grants.issue')
  const draft = `grant ${user.externalId}`
  const { idempotencyKey, sendOnce } = useSendOnce(draft)
  const nowMs = useNow(30_000)
  const form = useForm({
    draft,
    initial: { amount: '', reason: '', ...noSpan },
    check: ({ amount, reason, ...span }) => ({
      ...fault('amount', moneyFault(amount, { least: 1n })),
      ...fault('reason', reason.trim() === '' ? reasonMissing : undefined),
      ...spanFaults(span, nowMs),
    }),
    fieldOf: { amountUnits: 'amount', startsAt: 'starts', expiresAt: 'expires' },
    async send(values) {
      const { amountUnits } = await sendOnce((key) => issue.mutateAsync(inputOf(values, user, key)))
      toast(`Granted ${moneyText(amountUnits)} to ${user.externalId}`)
      onClose()
    },
  })
  const micros = microsOfText(form.values.amount)
  const isAmount = micros !== null && BigInt(micros) > 0n
  const before = BigInt(user.balance.balanceUnits)
  return (
    <FormDialog
      onClose={onClose}
      title={
        <>
          Grant credit to <bdi>{user.externalId}</bdi>
        </>
      }
      about="Adds free credit to the wallet. To take back unspent credit, reverse the grant."
      form={form}
      action={
        <span className="max-w-72 truncate">
          Grant {isAmount ? moneyText(micros) : 'credit'} to <bdi>{user.externalId}</bdi>
        </span>
      }
      busyAction="Granting"
      operation="grants.issue"
      input={inputOf(form.values, user, idempotencyKey)}
    >
      <MoneyField form={form} name="amount" label="Amount" />
      <TextField form={form} name="reason" label="Reason" help={reasonHelp} maxLength={256} />
      <SpanFields form={form} />
      <p className="text-14" aria-live="polite">
        Balance: <Money micros={before} />
        {isAmount && startsNow(form.values, nowMs) && (
          <>
            {' → '}
            <span className="font-medium" data-preview>
              <Money micros={before + BigInt(micros)} />
            </span>
          </>
        )}
      </p>
    </FormDialog>
  )
}

function inputOf(
  { amount, reason, ...span }: SpanValues & { readonly amount: string; readonly reason: string },
  { externalId }: EndUser,
  idempotencyKey: string,
) {
  return {
    endUsers: [externalId],
    amountUnits: microsOfText(amount) ?? '0',
    reason: reason.trim(),
    ...spanOf(span),
    idempotencyKey,
  }
}

function fault(name: string, words: string | undefined): Record<string, string> {
  return words === undefined ? {} : { [name]: words }
}
