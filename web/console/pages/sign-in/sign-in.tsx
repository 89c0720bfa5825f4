import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useRouter } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { buttonClass } from '#web/ui/button.tsx'
import { FormBody, TextField, useForm } from '#web/ui/form.tsx'
import { Note } from '#web/ui/status-notes-and-placeholders.tsx'
import { useAnswer } from '../../operations/use-operation.ts'
import { arePasskeysKnown } from '../../sign-in/use-browser-passkeys.ts'
import { api } from '../../api-client.ts'
import { useSearchTexts } from '../../url-parameters.ts'
import { beginSession } from '../../sign-in/member-session.ts'
import { BarePage } from './page-before-sign-in.tsx'
import { PasskeyButton, passkeyRequired, PasskeyStep } from './passkey-step.tsx'
import { returnPathOf } from './return-path-after-sign-in.ts'

export default function SignIn(): ReactNode {
  const { error, requestId, returnPath: asked } = useSearchTexts()
  const returnPath = returnPathOf(asked)
  const { data: options } = useAnswer('sessions.options', {})
  const enter = useEnter(returnPath)
  const [second, setSecond] = useState<{
    readonly password: { readonly email: string; readonly password: string }
    readonly isNew: boolean
  } | null>(null)
  const form = useForm({
    draft: null,
    initial: { email: '', password: '' },
    check: ({ email, password }) => ({
      ...(!email.includes('@') && { email: 'Enter the email address that the invitation was sent to.' }),
      ...(password === '' && { password: 'Enter your password.' }),
    }),
    async send(values) {
      try {
        await enter(await api.sessions.create(values))
      } catch (failure) {
        const required = passkeyRequired(failure)
        if (required === null) throw failure
        setSecond({ password: values, ...required })
      }
    },
  })
  if (second) {
    return (
      <BarePage title="Sign in">
        <PasskeyStep {...second} onEnter={enter} onBack={() => setSecond(null)} />
      </BarePage>
    )
  }
  return (
    <BarePage title="Sign in">
      {error !== undefined && (
        <Note tone="negative" title={sentences[error] ?? 'The identity provider did not sign you in.'}>
          <p className="text-13 text-ink-2">
            <code>{error}</code> {requestId !== undefined && <code>{requestId}</code>}
          </p>
        </Note>
      )}
      {options?.isSetUp === false && (
        <Note title="No one has joined yet">
          <p>
            The first owner joins with the link that the server prints when it starts. Run{' '}
            <code>tollgate setup-link</code> to print a new link.
          </p>
        </Note>
      )}
      {options?.oidc && (
        <>
          <a
            className={buttonClass('plain', 'normal')}
            href={`${options.oidc.path}?${new URLSearchParams({ returnPath }).toString()}`}
          >
            Sign in with <bdi>{options.oidc.label}</bdi>
          </a>
          <p className="text-13 text-ink-3">Or use a password</p>
        </>
      )}
      <FormBody form={form} action="Sign in" busyAction="Signing in">
        <TextField
          form={form}
          name="email"
          label="Email address"
          type="email"
          autoComplete="username"
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- the form is the only content of the page
          autoFocus
        />
        <TextField
          form={form}
          name="password"
          label="Password"
          type="password"
          autoComplete="current-password"
        />
      </FormBody>
      {arePasskeysKnown && <PasskeyButton onEnter={enter} />}
      <p className="text-13 text-ink-3">
        Forgot your password? Ask an admin of your team for a new invitation, which lets you set a new
        password.
      </p>
    </BarePage>
  )
}

/** Drops the data of an earlier session. */
export function useEnter(returnPath: string): (session: Parameters<typeof beginSession>[1]) => Promise<void> {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const router = useRouter()
  return async (session) => {
    beginSession(queries, session)
    await router.invalidate()
    await navigate({ href: returnPath, replace: true })
  }
}

const sentences: Readonly<Record<string, string>> = {
  not_on_team: 'You are not a member of this team. Ask an admin for an invitation.',
  identity_provider_failed: 'The identity provider did not complete the sign-in. Try again.',
  rate_limited: 'Too many sign-in attempts from your network. Wait a minute, then try again.',
  no_identity_provider: 'This server has no identity provider. Sign in with your password.',
}
