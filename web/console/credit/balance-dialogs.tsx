import type { ReactNode } from 'react'
import type { EndUser } from '#sdk/generated/types.ts'
import { MoneyField, moneyFault, TextField, useForm } from '#web/ui/form.tsx'
import { microsOfText, moneyText } from '#web/ui/money-text.ts'
import { toast } from '#web/ui/toast.tsx'
import { Money } from '#web/ui/formatted-values.tsx'
import { useChange } from '../operations/use-operation.ts'
import { reasonHelp, reasonMissing } from '../help-and-errors-of-fields.ts'
import { FormDialog } from '../form-dialog.tsx'
import { useSendOnce } from './send-once.ts'

interface DialogProps {
  readonly user: EndUser
  readonly onClose: () => void
}

export function TopUpDialog({ onClose, user }: DialogProps): ReactNode {
  const topUp = useChange('users.topUp')
  const form = useForm({
    draft: `top-up ${user.externalId}`,
    initial: { amount: '', reference: '' },
    check: ({ amount, reference }) => ({
      ...fault('amount', moneyFault(amount, { least: 1n })),
      ...fault('reference', reference.trim() === '' ? 'Enter the reference of the payment.' : undefined),
    }),
    fieldOf: { amountUnits: 'amount', paymentReference: 'reference' },
    async send(values) {
      const { amountUnits } = await topUp.mutateAsync(inputOf(values))
      toast(`Added ${moneyText(amountUnits)} of paid credit`)
      onClose()
    },
  })
  const inputOf = ({ amount, reference }: { readonly amount: string; readonly reference: string }) => ({
    externalId: user.externalId,
    amountUnits: microsOfText(amount) ?? '0',
    paymentReference: reference.trim(),
  })
  const micros = microsOfText(form.values.amount)
  return (
    <FormDialog
      onClose={onClose}
      title={
        <>
          Top up <bdi>{user.externalId}</bdi>
        </>
      }
      about="Adds credit that the end user paid for. Paid credit counts as revenue when it is spent. To give free credit, grant credit instead."
      form={form}
      action="Add paid credit"
      busyAction="Adding"
      operation="users.topUp"
      input={inputOf(form.values)}
    >
      <MoneyField form={form} name="amount" label="Amount paid" />
      <TextField
        form={form}
        name="reference"
        label="Payment reference"
        help="The payment's ID at your payment provider. Each reference adds credit only once."
        maxLength={255}
      />
      <Preview user={user} micros={micros} />
    </FormDialog>
  )
}

export function AdjustDialog({ onClose, user }: DialogProps): ReactNode {
  const adjust = useChange('users.adjust')
  const draft = `adjust ${user.externalId}`
  const { sendOnce } = useSendOnce(draft)
  const form = useForm({
    draft,
    initial: { amount: '', reason: '' },
    check: ({ amount, reason }) => ({
      ...fault('amount', changeFault(amount)),
      ...fault('reason', reason.trim() === '' ? reasonMissing : undefined),
    }),
    fieldOf: { amountUnits: 'amount' },
    async send(values) {
      const { balanceAfterUnits } = await sendOnce((repeatKey) =>
        adjust.mutateAsync({ ...inputOf(values), repeatKey }),
      )
      toast(`The balance is now ${moneyText(balanceAfterUnits)}`)
      onClose()
    },
  })
  const inputOf = ({ amount, reason }: { readonly amount: string; readonly reason: string }) => ({
    externalId: user.externalId,
    amountUnits: microsOfText(amount) ?? '0',
    reason: reason.trim(),
  })
  const micros = microsOfText(form.values.amount)
  const { balanceUnits, reservedUnits } = user.balance
  return (
    <FormDialog
      onClose={onClose}
      title={
        <>
          Adjust the balance of <bdi>{user.externalId}</bdi>
        </>
      }
      about={
        <>
          Adds an amount to the balance, or subtracts an amount from the balance. Requests in flight hold{' '}
          <Money micros={reservedUnits} />, so you can subtract at most{' '}
          <Money micros={BigInt(balanceUnits) - BigInt(reservedUnits)} />.
        </>
      }
      form={form}
      action="Adjust balance"
      busyAction="Adjusting"
      operation="users.adjust"
      input={inputOf(form.values)}
    >
      <MoneyField
        form={form}
        name="amount"
        label="Amount"
        help="Enter a negative amount to subtract. -5 subtracts $5.00."
      />
      <TextField form={form} name="reason" label="Reason" help={reasonHelp} maxLength={256} />
      <Preview user={user} micros={micros} />
    </FormDialog>
  )
}

function Preview({ micros, user }: { readonly user: EndUser; readonly micros: string | null }): ReactNode {
  const before = BigInt(user.balance.balanceUnits)
  return (
    <p className="text-14" aria-live="polite">
      Balance: <Money micros={before} />
      {micros !== null && micros !== '0' && (
        <>
          {' → '}
          <span className="font-medium" data-preview>
            <Money micros={before + BigInt(micros)} />
          </span>
        </>
      )}
    </p>
  )
}

function changeFault(amount: string): string | undefined {
  const micros = microsOfText(amount)
  if (micros === null) return 'Enter dollars with at most six decimals, like 20 or -0.25.'
  return micros === '0' || micros === '-0' ? 'Enter an amount other than 0.' : undefined
}

function fault(name: string, words: string | undefined): Record<string, string> {
  return words === undefined ? {} : { [name]: words }
}
