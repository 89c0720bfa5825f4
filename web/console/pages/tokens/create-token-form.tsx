import type { ReactNode } from 'react'
import { dayMs, hourMs } from '#money/periods-and-windows.ts'
import { realNow } from '#web/ui/current-time-hooks.ts'
import { SelectField, TextField, useForm } from '#web/ui/form.tsx'
import { applicationWords } from '../../applications.ts'
import { useChange, useRows, type AnswerOf } from '../../operations/use-operation.ts'
import { Snippets } from '../../copy-as-code.tsx'
import { FormDialog } from '../../form-dialog.tsx'
import { aboutRole, roles, type RoleName } from '../../sign-in/team-roles.ts'
import { useSession } from '../../sign-in/member-session.ts'

export function CreateToken({
  onClose,
  onMade,
}: {
  readonly onClose: () => void
  readonly onMade: (token: AnswerOf<'tokens.create'>) => void
}): ReactNode {
  const create = useChange('tokens.create')
  const { rows: apps = [] } = useRows('apps.list', { limit: 200 })
  const { member } = useSession()
  // A member cannot create a token with a higher role than their own.
  const given = roles.slice(0, roles.findIndex(([name]) => name === member.role) + 1)
  const form = useForm<Values>({
    draft: 'tokens.create',
    initial: {
      label: '',
      role: given.some(([name]) => name === 'developer') ? 'developer' : 'viewer',
      application: '',
      days: '0',
    },
    check: ({ label }) =>
      label.trim() === '' ? { label: 'Enter the purpose of the token, such as deploy.' } : {},
    send: async (values) => onMade(await create.mutateAsync(inputOf(values))),
  })
  return (
    <FormDialog
      onClose={onClose}
      title="Create token"
      about="The token is shown once, after you create it."
      form={form}
      action={`Create token ${form.values.label}`.trim()}
    >
      <TextField
        form={form}
        name="label"
        label="Label"
        help="The purpose of the token. The purpose is shown in the audit log."
      />
      <SelectField
        form={form}
        name="role"
        label="Role"
        help={`A ${form.values.role} ${aboutRole(form.values.role)}.`}
        options={given.map(([name, words]) => [name, words])}
      />
      <SelectField
        form={form}
        name="application"
        label="Application"
        help="A token of one application can't access other applications."
        options={[
          ['', 'All applications'],
          ...apps
            .filter(({ archivedAt }) => archivedAt === null)
            .map((app) => [app.slug, applicationWords(app, apps)] as const),
        ]}
      />
      <SelectField
        form={form}
        name="days"
        label="Expires"
        help="After this time, requests with the token fail."
        options={lifetimes}
      />
      <Snippets operation="tokens.create" input={inputOf(form.values)} />
    </FormDialog>
  )
}

type Values = { label: string; role: RoleName; application: string; days: string }

const lifetimes = [
  ['0', 'Never'],
  ['7', 'In 7 days'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In 1 year'],
] as const

function inputOf({ application, days, label, role }: Values): {
  label: string
  role: RoleName
  application?: string
  expiresAt?: string
} {
  return {
    label,
    role,
    ...(application !== '' && { application }),
    // Rounding to the hour keeps the example below from changing while it is read.
    ...(days !== '0' && {
      expiresAt: new Date(Math.ceil(realNow() / hourMs) * hourMs + Number(days) * dayMs).toISOString(),
    }),
  }
}
