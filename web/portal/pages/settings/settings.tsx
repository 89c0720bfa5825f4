import { useState, type ReactNode } from 'react'
import { Button } from '#web/ui/button.tsx'
import { FailureNote } from '#web/ui/failure.tsx'
import { exactTimeText } from '#web/ui/number-text.ts'
import { useAccount } from '#web/portal/account-and-plan-hooks.ts'
import { brand, supportLink } from '#web/portal/brand-in-document.ts'
import { signOut } from '#web/portal/end-user-session.ts'
import { chooseTheme, chosenTheme, type Theme } from '#web/ui/theme.ts'
import { Fact } from '#web/portal/ui/lists-and-rows.tsx'
import { PageTitle, Part } from '#web/portal/ui/page-title-and-sections.tsx'
import { Shown } from '#web/portal/ui/loaded-content.tsx'

const themes = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
] as const

export default function Settings(): ReactNode {
  const account = useAccount()
  const [theme, setTheme] = useState<Theme>(chosenTheme)
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<unknown>(null)
  const leave = async (): Promise<void> => {
    setBusy(true)
    try {
      await signOut()
    } catch (error) {
      setFailure(error)
      setBusy(false)
    }
  }
  return (
    <>
      <PageTitle title="Settings" />
      <Part title="Account">
        <Shown answer={account} what="Your account" rows={3}>
          {({ email, endUserId, livemode, session }) => (
            <dl className="border-t border-line">
              <Fact name="Signed in as">
                <bdi>{email ?? endUserId}</bdi>
              </Fact>
              <Fact name="Mode">{livemode ? 'Live' : 'Test, no real money is charged'}</Fact>
              <Fact name="Signed in until">{exactTimeText(session.expiresAt)}</Fact>
              <Fact name="Time zone">UTC</Fact>
            </dl>
          )}
        </Shown>
        <p className="mt-2 mb-4 text-14 text-ink-2">
          The session expires earlier if you don't use it for one hour.
        </p>
        {failure !== null && <FailureNote title="You couldn't be signed out." error={failure} />}
        <Button size="large" isBusy={isBusy} onClick={() => void leave()}>
          Sign out
        </Button>
      </Part>
      <Part title="Theme">
        <fieldset>
          <legend className="sr-only">Theme</legend>
          <div className="flex flex-col border-t border-line">
            {themes.map(([value, words]) => (
              <label key={value} className="flex min-h-12 items-center gap-3 border-b border-line">
                <input
                  type="radio"
                  name="theme"
                  className="size-5 accent-accent"
                  checked={theme === value}
                  onChange={() => {
                    chooseTheme(value)
                    setTheme(value)
                  }}
                />
                {words}
              </label>
            ))}
          </div>
        </fieldset>
      </Part>
      <Help />
    </>
  )
}

function Help(): ReactNode {
  const link = supportLink()
  return (
    <Part title="Help">
      <p className="border-t border-line py-3 text-ink-2">
        {link === null ? (
          <>
            Contact <bdi>{brand.productName}</bdi> and include the ID of the request in question.
          </>
        ) : (
          <>
            <a className="brand-text underline wrap-anywhere" href={link} rel="noreferrer">
              {brand.supportEmail ?? link}
            </a>
            . Include the ID of the request in question.
          </>
        )}
      </p>
    </Part>
  )
}
