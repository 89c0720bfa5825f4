/** Joining by a link: its secret is behind `#`, which no server and no log of one ever sees, and is spent once. */
import { useEffect, useState, type ReactNode } from 'react'
import { FormBody, TextField, useForm } from '#web/ui/form.tsx'
import { Note } from '#web/ui/state.tsx'
import { api } from '../../client.ts'
import { Go } from '../../shell/go.tsx'
import { BarePage } from './bare-page.tsx'
import { useEnter } from './sign-in.tsx'

export function JoinPage({
  about,
  asksForEmail,
  then,
  title,
}: {
  readonly title: string
  readonly about: string
  /** Of the first owner; an invitation has its address. */
  readonly asksForEmail: boolean
  /** Where one goes then. */
  readonly then: string
}): ReactNode {
  const [token] = useState(() => location.hash.slice(1))
  // The secret stays neither in the address bar nor in the history.
  useEffect(() => history.replaceState(history.state, '', location.pathname), [])
  const enter = useEnter(then)
  const form = useForm({
    draft: null,
    initial: { name: '', email: '', password: '', again: '' },
    check: ({ again, email, name, password }) => ({
      ...(name.trim() === '' && { name: 'Write what you are called.' }),
      ...(asksForEmail && !email.includes('@') && { email: 'Write an e-mail address.' }),
      ...(password.length < 12 && { password: `At least 12 characters; these are ${password.length}.` }),
      ...(password !== again && { again: 'The two are not the same.' }),
    }),
    send: async ({ email, name, password }) =>
      enter(await api.invitations.accept({ token, name, password, ...(asksForEmail && { email }) })),
  })
  if (token === '') {
    return (
      <BarePage title={title}>
        <Note tone="held" title="The link is not whole">
          <p>Open it as it was printed or sent: what is behind # belongs to it, and works once.</p>
        </Note>
        <Go to="/sign-in">Sign in instead</Go>
      </BarePage>
    )
  }
  return (
    <BarePage title={title} about={about}>
      <FormBody form={form} action="Join" busyAction="Joining">
        <TextField form={form} name="name" label="Your name" autoComplete="name" />
        {asksForEmail && (
          <TextField form={form} name="email" label="E-mail address" type="email" autoComplete="username" />
        )}
        <TextField
          form={form}
          name="password"
          label="Password"
          type="password"
          autoComplete="new-password"
          help="At least 12 characters. A few words are better than a few signs."
        />
        <TextField
          form={form}
          name="again"
          label="Password, once more"
          type="password"
          autoComplete="new-password"
        />
      </FormBody>
    </BarePage>
  )
}
