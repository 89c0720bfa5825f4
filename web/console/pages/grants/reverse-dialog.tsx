import { useState, type ReactNode } from 'react'
import type { Grant } from '#sdk/generated/types.ts'
import { FormBody, TextField, useForm } from '#web/ui/form.tsx'
import { moneyText } from '#web/ui/money-text.ts'
import { Dialog } from '#web/ui/overlays.tsx'
import { toast } from '#web/ui/toast.tsx'
import { useChange } from '../../calls.ts'
import { CopyAs } from '../../copy-as.tsx'
import { newKey } from '../../credit/new-key.ts'

/** Reverses the unspent part of a grant, for all of its end users or for those listed. */
export function ReverseDialog({
  grant,
  onClose,
}: {
  readonly grant: Grant
  readonly onClose: () => void
}): ReactNode {
  const reverse = useChange('grants.reverse', { touches: ['users'] })
  // Prevents a second reversal if the button is pressed twice, or again after a lost response.
  const repeatKey = useState(newKey)[0]
  const form = useForm({
    draft: `reverse ${grant.id}`,
    initial: { people: '', reason: '' },
    check: ({ reason }): Record<string, string> =>
      reason.trim() === '' ? { reason: 'Enter a reason. It is shown on their ledger.' } : {},
    fieldOf: { endUsers: 'people' },
    async send(values) {
      const { reversedUnits, status } = await reverse.mutateAsync({ ...inputOf(values), repeatKey })
      toast(
        status === 'done'
          ? `${moneyText(reversedUnits)} was taken back.`
          : 'The reversal is running. This sheet shows how far it is.',
      )
      onClose()
    },
  })
  const inputOf = ({ people, reason }: { readonly people: string; readonly reason: string }) => {
    const endUsers = people.split(/[\s,]+/).filter((name) => name !== '')
    return { id: grant.id, reason: reason.trim(), ...(endUsers.length > 0 && { endUsers }) }
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Reverse grant"
      about="Takes back what is unspent. Credit that was spent, or that requests in flight hold, stays."
    >
      <FormBody form={form} action="Reverse grant" busyAction="Reversing" onCancel={onClose}>
        <TextField
          form={form}
          name="people"
          label="End users"
          help="IDs with spaces or commas between them. Leave empty for everyone who has the grant."
        />
        <TextField
          form={form}
          name="reason"
          label="Reason"
          help="The end users read it in the portal."
          maxLength={256}
        />
        <div>
          <CopyAs operation="grants.reverse" input={inputOf(form.values)} />
        </div>
      </FormBody>
    </Dialog>
  )
}
