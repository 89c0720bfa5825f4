import type { ReactNode } from 'react'
import type { Grant } from '#sdk/generated/types.ts'
import { TextField, useForm } from '#web/ui/form.tsx'
import { moneyText } from '#web/ui/money-text.ts'
import { toast } from '#web/ui/toast.tsx'
import { useChange } from '../../operations/use-operation.ts'
import { useSendOnce } from '../../credit/send-once.ts'
import { reasonHelp, reasonMissing } from '../../help-and-errors-of-fields.ts'
import { FormDialog } from '../../form-dialog.tsx'

export function ReverseDialog({
  grant,
  onClose,
}: {
  readonly grant: Grant
  readonly onClose: () => void
}): ReactNode {
  const reverse = useChange('grants.reverse')
  const draft = `reverse ${grant.id}`
  const { sendOnce } = useSendOnce(draft)
  const form = useForm({
    draft,
    initial: { people: '', reason: '' },
    check: ({ reason }): Record<string, string> => (reason.trim() === '' ? { reason: reasonMissing } : {}),
    fieldOf: { endUsers: 'people' },
    async send(values) {
      const { reversedUnits, status } = await sendOnce((repeatKey) =>
        reverse.mutateAsync({ ...inputOf(values), repeatKey }),
      )
      toast(
        status === 'done'
          ? `Reversed ${moneyText(reversedUnits)}`
          : 'The reversal is running. The grant shows the progress.',
      )
      onClose()
    },
  })
  const inputOf = ({ people, reason }: { readonly people: string; readonly reason: string }) => {
    const endUsers = people.split(/[\s,]+/).filter((name) => name !== '')
    return { id: grant.id, reason: reason.trim(), ...(endUsers.length > 0 && { endUsers }) }
  }
  return (
    <FormDialog
      onClose={onClose}
      title="Reverse grant"
      about="Takes back unspent credit. Spent credit and credit held by requests in flight are kept."
      form={form}
      action="Reverse grant"
      busyAction="Reversing"
      operation="grants.reverse"
      input={inputOf(form.values)}
    >
      <TextField
        form={form}
        name="people"
        label="End users"
        help="End user IDs, separated by spaces or commas. Leave empty for all end users of the grant."
      />
      <TextField form={form} name="reason" label="Reason" help={reasonHelp} maxLength={256} />
    </FormDialog>
  )
}
