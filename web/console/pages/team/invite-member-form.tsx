import { useState, type ReactNode } from 'react'
import { Button } from '#web/ui/button.tsx'
import { CodeBlock } from '#web/ui/code-block.tsx'
import { SelectField, TextField, useForm } from '#web/ui/form.tsx'
import { Dialog } from '#web/ui/dialog-sheet-and-menu.tsx'
import { toast } from '#web/ui/toast.tsx'
import { useChange } from '../../operations/use-operation.ts'
import { Snippets } from '../../copy-as-code.tsx'
import { FormDialog } from '../../form-dialog.tsx'
import { aboutRole, roles, type RoleName } from '../../sign-in/team-roles.ts'
import { useMay } from '../../sign-in/member-session.ts'

export function Invite({ onClose }: { readonly onClose: () => void }): ReactNode {
  const invite = useChange('team.invite')
  const isOwner = useMay('owner')
  const [link, setLink] = useState<{ readonly email: string; readonly url: string } | null>(null)
  const form = useForm<{ email: string; role: RoleName }>({
    draft: 'team.invite',
    initial: { email: '', role: 'developer' },
    check: ({ email }) => (email.includes('@') ? {} : { email: 'Enter an email address.' }),
    send: async ({ email, role }) => {
      const { inviteUrl } = await invite.mutateAsync({ email, role })
      if (inviteUrl !== null) return setLink({ email, url: inviteUrl })
      toast(`Sent an invitation to ${email}.`)
      onClose()
    },
  })
  if (link) {
    return (
      <Dialog
        isOpen
        isFirm
        onClose={onClose}
        title={
          <>
            Invitation link for <bdi>{link.email}</bdi>
          </>
        }
        about="This server sends no email, so send the link yourself. The link works once. You won't be able to see the link again."
      >
        <div className="flex flex-col items-start gap-4">
          <CodeBlock label="Invitation link" text={link.url} className="w-full" />
          <Button kind="primary" onClick={onClose}>
            I have sent the link
          </Button>
        </div>
      </Dialog>
    )
  }
  const { email, role } = form.values
  return (
    <FormDialog
      onClose={onClose}
      title="Invite member"
      about="The link works once, and only for this address."
      form={form}
      action={email === '' ? 'Invite member' : `Invite ${email} as ${role}`}
    >
      <TextField form={form} name="email" label="Email address" type="email" />
      <SelectField
        form={form}
        name="role"
        label="Role"
        help={`A ${role} ${aboutRole(role)}.`}
        options={roles.filter(([name]) => isOwner || name !== 'owner').map(([name, words]) => [name, words])}
      />
      <Snippets operation="team.invite" input={{ email, role }} />
    </FormDialog>
  )
}
