import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState, type ReactNode } from 'react'
import { AuthenticationError } from '#sdk/errors.ts'
import { Button } from '#web/ui/button.tsx'
import { DownIcon } from '#web/ui/icons.tsx'
import { Menu } from '#web/ui/dialog-sheet-and-menu.tsx'
import { toast } from '#web/ui/toast.tsx'
import { api } from '../api-client.ts'
import { endSession, useSession } from '../sign-in/member-session.ts'
import { sentenceOf } from '#web/ui/failure.tsx'
import { chooseTheme, chosenTheme, type Theme } from '#web/ui/theme.ts'

const themes: readonly (readonly [Theme, string])[] = [
  ['system', 'System theme'],
  ['light', 'Light theme'],
  ['dark', 'Dark theme'],
]

export function AccountMenu(): ReactNode {
  const { member, organization } = useSession()
  const [theme, setTheme] = useState(chosenTheme)
  const navigate = useNavigate()
  const queries = useQueryClient()
  const signOut = async (): Promise<void> => {
    try {
      await api.sessions.endCurrent()
    } catch (error) {
      // Another tab may have ended the session already.
      if (!(error instanceof AuthenticationError)) {
        toast(`You couldn't be signed out. ${sentenceOf(error)}`)
        return
      }
    }
    queries.clear()
    endSession(queries)
    await navigate({ to: '/sign-in' })
  }
  return (
    <Menu
      trigger={
        <Button kind="quiet" className="h-auto w-full justify-between py-1 text-left">
          <span className="min-w-0">
            <span className="sr-only">Your account: </span>
            <bdi className="block truncate text-13 text-ink">{member.name ?? member.email}</bdi>
            <bdi className="block truncate text-12 font-normal text-ink-3">
              {organization.name}, {member.role}
            </bdi>
          </span>
          <DownIcon />
        </Button>
      }
      entries={[
        { words: 'Getting started', onSelect: () => void navigate({ to: '/onboarding' }) },
        { words: 'Your settings', onSelect: () => void navigate({ to: '/settings' }) },
        { words: 'API reference', render: <a href="/reference">API reference</a> },
        null,
        ...themes.map(([one, words]) => ({
          words,
          isChosen: one === theme,
          onSelect: () => {
            chooseTheme(one)
            setTheme(one)
          },
        })),
        null,
        { words: 'Sign out', onSelect: () => void signOut() },
      ]}
    />
  )
}
