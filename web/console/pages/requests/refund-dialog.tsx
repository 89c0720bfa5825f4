import type { ReactNode } from 'react'
import { MoneyField, moneyFault, TextField, useForm } from '#web/ui/form.tsx'
import { microsOfText, moneyText, typedDollars } from '#web/ui/money-text.ts'
import { toast } from '#web/ui/toast.tsx'
import { Money } from '#web/ui/formatted-values.tsx'
import { useChange } from '../../operations/use-operation.ts'
import { useSendOnce } from '../../credit/send-once.ts'
import { FormDialog } from '../../form-dialog.tsx'

/** @param leftMicros maximum refund */
export function RefundDialog({
  id,
  leftMicros,
  onClose,
}: {
  readonly id: string
  readonly leftMicros: bigint
  readonly onClose: () => void
}): ReactNode {
  const refund = useChange('requests.refund')
  const draft = `refund ${id}`
  const { sendOnce } = useSendOnce(draft)
  const form = useForm({
    draft,
    initial: { amount: typedDollars(leftMicros), reason: '' },
    check: ({ amount, reason }) => ({
      ...fault('amount', amountFault(amount, leftMicros)),
      ...fault(
        'reason',
        reason.trim() === '' ? "Enter a reason. The reason is shown in the end user's ledger." : undefined,
      ),
    }),
    fieldOf: { amountUnits: 'amount' },
    async send(values) {
      const { amountUnits } = await sendOnce((repeatKey) =>
        refund.mutateAsync({ ...inputOf(values), repeatKey }),
      )
      toast(`${moneyText(amountUnits)} was refunded.`)
      onClose()
    },
  })
  const inputOf = ({ amount, reason }: { readonly amount: string; readonly reason: string }) => ({
    id,
    amountUnits: microsOfText(amount) ?? '0',
    reason: reason.trim(),
  })
  return (
    <FormDialog
      onClose={onClose}
      title="Refund request"
      about={
        <>
          The money is returned to the sources that paid, starting with the source that paid last. You can
          refund up to <Money micros={leftMicros} />.
        </>
      }
      form={form}
      action="Refund request"
      busyAction="Refunding"
      operation="requests.refund"
      input={inputOf(form.values)}
    >
      <MoneyField form={form} name="amount" label="Amount" />
      <TextField
        form={form}
        name="reason"
        label="Reason"
        help="Shown to the end user in the portal."
        maxLength={256}
      />
    </FormDialog>
  )
}

function amountFault(amount: string, leftMicros: bigint): string | undefined {
  const wrong = moneyFault(amount, { least: 1n })
  if (wrong !== undefined) return wrong
  return BigInt(microsOfText(amount) ?? '0') > leftMicros
    ? `You can refund up to ${moneyText(leftMicros)}.`
    : undefined
}

function fault(name: string, words: string | undefined): Record<string, string> {
  return words === undefined ? {} : { [name]: words }
}
