/**
 * If the link contains the code, the member only compares it with the code on the device. The page shows the requesting
 * device before the approval, because a link may be a phishing attempt (RFC 8628 5.4).
 */
import { useState, type ReactNode } from 'react'
import { Button } from '#web/ui/button.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { FormBody, TextField, useForm } from '#web/ui/form.tsx'
import { Facts } from '#web/ui/page-head-and-sections.tsx'
import { Note } from '#web/ui/status-notes-and-placeholders.tsx'
import { When } from '#web/ui/formatted-values.tsx'
import { call, type AnswerOf } from '../../operations/use-operation.ts'
import { useSearchTexts } from '../../url-parameters.ts'
import { useSession } from '../../sign-in/member-session.ts'
import { Go } from '../../shell/console-links.tsx'
import { BarePage } from './page-before-sign-in.tsx'

type Asking = AnswerOf<'deviceAuth.show'>

export default function Device(): ReactNode {
  const { code } = useSearchTexts()
  const [asking, setAsking] = useState<{ readonly userCode: string; readonly who: Asking } | null>(null)
  const [decision, setDecision] = useState<string | null>(null)
  if (decision !== null) {
    return (
      <BarePage title={decision === 'approved' ? 'The device is signed in' : 'The sign-in was rejected'}>
        <p className="text-ink-2">
          {decision === 'approved'
            ? 'Return to the device. You can revoke its token on the Tokens page.'
            : 'The device received no token.'}
        </p>
        <Go to="/tokens">View tokens</Go>
      </BarePage>
    )
  }
  return asking ? (
    <Decide {...asking} onDecided={setDecision} onBack={() => setAsking(null)} />
  ) : (
    <EnterCode code={code ?? ''} onFound={setAsking} />
  )
}

function EnterCode({
  code,
  onFound,
}: {
  readonly code: string
  readonly onFound: (found: { readonly userCode: string; readonly who: Asking }) => void
}): ReactNode {
  const form = useForm({
    draft: null,
    initial: { userCode: code },
    check: ({ userCode }) =>
      userCode.trim() === '' ? { userCode: 'Enter the code that the device shows.' } : {},
    send: async ({ userCode }) => onFound({ userCode, who: await call('deviceAuth.show', { userCode }) }),
  })
  return (
    <BarePage
      title="Sign in a device"
      about="A command line is waiting for your approval to sign in. Continue only if you started this sign-in, and if your terminal shows the code below."
    >
      <FormBody form={form} action="Review request" busyAction="Loading">
        <TextField
          form={form}
          name="userCode"
          label="Device code"
          autoCapitalize="characters"
          className="h-12 font-mono text-20 tracking-widest uppercase"
        />
      </FormBody>
    </BarePage>
  )
}

function Decide({
  onBack,
  onDecided,
  userCode,
  who,
}: {
  readonly userCode: string
  readonly who: Asking
  readonly onDecided: (decision: string) => void
  readonly onBack: () => void
}): ReactNode {
  const { member, organization } = useSession()
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const decide = async (approve: boolean): Promise<void> => {
    setBusy(true)
    setFailure(null)
    try {
      onDecided((await call('deviceAuth.approve', { userCode, approve })).decision)
    } catch (error) {
      setFailure(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <BarePage
      title={
        <>
          Sign in <bdi>{who.clientName ?? 'an unnamed device'}</bdi>?
        </>
      }
      about={`The device will act for ${organization.name} as ${who.role} until its token is revoked.`}
    >
      <p className="rounded border border-edge py-3 text-center font-mono text-28 tracking-widest uppercase">
        {userCode}
      </p>
      <Facts
        facts={[
          ['Requested from', <bdi key="address">{who.address}</bdi>],
          ['Program', <bdi key="agent">{who.userAgent}</bdi>],
          ['Requested', <When key="asked" at={who.createdAt} />],
          ['Requested role', who.askedRole ?? 'not specified'],
          ['Granted role', who.role],
          ['Approved by', <bdi key="member">{member.email}</bdi>],
        ]}
      />
      <Note tone="held">
        Anyone can fake the name and program of a device. Approve only a device that you can see and that
        shows this code.
      </Note>
      {failure !== null && <FailureNote error={failure} />}
      <div className="flex flex-wrap gap-2">
        <Button kind="primary" isBusy={isBusy} onClick={() => void decide(true)}>
          Sign in as {who.role}
        </Button>
        <Button kind="danger" disabled={isBusy} onClick={() => void decide(false)}>
          Reject sign-in
        </Button>
        <Button kind="quiet" disabled={isBusy} onClick={onBack}>
          Back
        </Button>
      </div>
    </BarePage>
  )
}
