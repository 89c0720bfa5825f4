import { useState, type ReactNode } from 'react'
import type { Member } from '#sdk/generated/types.ts'
import { SelectField, useForm } from '#web/ui/form.tsx'
import { toast } from '#web/ui/toast.tsx'
import { useChange } from '../../operations/use-operation.ts'
import { Snippets } from '../../copy-as-code.tsx'
import { FormDialog } from '../../form-dialog.tsx'
import { aboutRole, roles, type RoleName } from '../../sign-in/team-roles.ts'
import { useMay } from '../../sign-in/member-session.ts'
import { CreatedTokens } from './created-tokens.tsx'

export function ChangeRole({
  member,
  onClose,
}: {
  readonly member: Member
  readonly onClose: () => void
}): ReactNode {
  const change = useChange('team.role')
  const isOwner = useMay('owner')
  const [isRevoked, setRevoked] = useState(false)
  const inputOf = (role: RoleName) => ({
    email: member.email,
    role,
    ...(isRevoked && { revokeTokens: true }),
  })
  const form = useForm<{ role: RoleName }>({
    draft: null,
    initial: { role: member.role as RoleName },
    send: async ({ role }) => {
      await change.mutateAsync(inputOf(role))
      toast(`${member.email} is now ${role}.`)
      onClose()
    },
  })
  const { role } = form.values
  return (
    <FormDialog
      onClose={onClose}
      title={
        <>
          Change role of <bdi>{member.email}</bdi>
        </>
      }
      about="The new role applies to the next request on every device."
      form={form}
      action={`Change role to ${role}`}
      isDisabled={!form.isChanged}
    >
      <SelectField
        form={form}
        name="role"
        label="Role"
        help={`A ${role} ${aboutRole(role)}.`}
        options={roles.filter(([name]) => isOwner || name !== 'owner').map(([name, words]) => [name, words])}
      />
      {form.isChanged && (
        <CreatedTokens memberId={member.id} above={role} isRevoked={isRevoked} onChange={setRevoked} />
      )}
      <Snippets operation="team.role" input={inputOf(role)} />
    </FormDialog>
  )
}
