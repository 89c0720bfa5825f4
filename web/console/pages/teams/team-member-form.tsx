import type { ReactNode } from 'react'
import type { EndUserTeamMember } from '#sdk/generated/types.ts'
import { MoneyField, moneyFault, TextField, useForm } from '#web/ui/form.tsx'
import { microsOfText, typedDollars } from '#web/ui/money-text.ts'
import { toast } from '#web/ui/toast.tsx'
import { FormDialog } from '../../form-dialog.tsx'
import { useChange } from '../../operations/use-operation.ts'
import { useUserSuggestions } from '../../end-user-suggestions.ts'

export function MemberForm({
  member,
  onClose,
  slug,
}: {
  readonly slug: string
  readonly member: EndUserTeamMember | null
  readonly onClose: () => void
}): ReactNode {
  const add = useChange('teams.addMember')
  const inputOf = (values: { endUser: string; cap: string }) => ({
    slug,
    externalId: values.endUser.trim(),
    capMicros: values.cap.trim() === '' ? null : (microsOfText(values.cap) ?? '0'),
  })
  const form = useForm({
    draft: null,
    initial: {
      endUser: member?.endUserId ?? '',
      cap: member === null || member.capMicros === null ? '' : typedDollars(member.capMicros),
    },
    check({ cap, endUser }) {
      const fault = cap.trim() === '' ? undefined : moneyFault(cap)
      return {
        ...(endUser.trim() === '' && { endUser: 'Enter the ID of an end user.' }),
        ...(fault !== undefined && { cap: fault }),
      }
    },
    fieldOf: { externalId: 'endUser', capMicros: 'cap' },
    async send(values) {
      await add.mutateAsync(inputOf(values))
      toast(member === null ? 'Member added.' : 'Cap changed.')
      onClose()
    },
  })
  const suggestions = useUserSuggestions(member === null ? form.values.endUser.trim() : '')
  return (
    <FormDialog
      onClose={onClose}
      title={member === null ? 'Add member' : <bdi>{`Cap of ${member.endUserId}`}</bdi>}
      about="The cap limits what the member spends from the payer's wallet per calendar month (UTC)."
      form={form}
      action={member === null ? 'Add member' : 'Change cap'}
      busyAction="Saving"
      operation="teams.addMember"
      input={inputOf(form.values)}
    >
      {member === null && (
        <TextField
          form={form}
          name="endUser"
          label="End user"
          help="Your ID for an existing end user."
          suggestions={suggestions}
          maxLength={256}
        />
      )}
      <MoneyField
        form={form}
        name="cap"
        label="Cap per month"
        help="Empty means no cap: the member can spend the whole balance of the payer."
        isOptional
      />
    </FormDialog>
  )
}
