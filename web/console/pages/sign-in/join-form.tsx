/** The secret of the link is after `#`, so browsers never send it to a server. It can be used once. */
import { useEffect, useEffectEvent, useState, type ReactNode } from 'react'
import { ApiError } from '#sdk/errors.ts'
import { FailureNote } from '#web/ui/failure.tsx'
import { FormBody, TextField, useForm } from '#web/ui/form.tsx'
import { Note, Skeleton } from '#web/ui/status-notes-and-placeholders.tsx'
import type { AnswerOf } from '../../operations/use-operation.ts'
import { api } from '../../api-client.ts'
import { newPasswordFaults, newPasswordHelp } from '../../sign-in/check-new-password.ts'
import { Go } from '../../shell/console-links.tsx'
import { BarePage } from './page-before-sign-in.tsx'
import { useEnter } from './sign-in.tsx'

export type Link = AnswerOf<'invitations.show'>

interface Joining {
  readonly title: string
  readonly about: (link: Link) => ReactNode
  readonly then: string
}

export function JoinPage({ about, then, title }: Joining): ReactNode {
  const [token] = useState(() => location.hash.slice(1))
  const { error, link, retry } = useLink(token)
  // The secret must not stay in the address bar or in the history.
  useEffect(() => history.replaceState(history.state, '', location.pathname), [])
  if (token === '') {
    return (
      <BarePage title={title}>
        <Note tone="held" title="The link is incomplete">
          <p>Open the link exactly as you received it, including the part after #.</p>
        </Note>
        <Go to="/sign-in">Sign in instead</Go>
      </BarePage>
    )
  }
  if (error instanceof ApiError && error.code === 'link_invalid') {
    return (
      <BarePage title={title}>
        <div role="alert">
          <Note tone="held" title="The link is no longer valid">
            <p>{error.message}</p>
          </Note>
        </div>
        <Go to="/sign-in">Sign in instead</Go>
      </BarePage>
    )
  }
  return (
    <BarePage title={title} about={link ? about(link) : <Skeleton className="w-64" />}>
      {error !== null && <FailureNote error={error} title="The link couldn't be loaded." onRetry={retry} />}
      {link ? (
        <JoinForm token={token} link={link} then={then} />
      ) : (
        error === null && <Skeleton className="h-80" />
      )}
    </BarePage>
  )
}

/** Not a cached query, because a used link must not be loaded again. */
function useLink(token: string): {
  readonly link: Link | null
  readonly error: unknown
  readonly retry: () => void
} {
  const [told, setTold] = useState<{ readonly link: Link | null; readonly error: unknown }>({
    link: null,
    error: null,
  })
  const ask = (): void => {
    api.invitations.show({ token }).then(
      (link) => setTold({ link, error: null }),
      (error: unknown) => setTold({ link: null, error }),
    )
  }
  const askAtOnce = useEffectEvent(() => {
    if (token !== '') ask()
  })
  useEffect(() => askAtOnce(), [])
  return { ...told, retry: ask }
}

function JoinForm({
  link,
  then,
  token,
}: Pick<Joining, 'then'> & { readonly token: string; readonly link: Link }): ReactNode {
  const asksForEmail = link.email === null
  const enter = useEnter(then)
  const form = useForm({
    draft: null,
    initial: { name: '', email: '', password: '', again: '' },
    check: ({ email, name, ...chosen }) => ({
      ...(name.trim() === '' && { name: 'Enter your name.' }),
      ...(asksForEmail && !email.includes('@') && { email: 'Enter an email address.' }),
      ...newPasswordFaults(chosen),
    }),
    send: async ({ email, name, password }) =>
      enter(await api.invitations.accept({ token, name, password, ...(asksForEmail && { email }) })),
  })
  return (
    <FormBody form={form} action="Join" busyAction="Joining">
      <TextField form={form} name="name" label="Your name" autoComplete="name" />
      {asksForEmail && (
        <TextField form={form} name="email" label="Email address" type="email" autoComplete="username" />
      )}
      <TextField
        form={form}
        name="password"
        label="Password"
        type="password"
        autoComplete="new-password"
        help={newPasswordHelp}
      />
      <TextField
        form={form}
        name="again"
        label="Confirm password"
        type="password"
        autoComplete="new-password"
      />
    </FormBody>
  )
}
