import { useState, type ReactNode } from 'react'
import { JoinPage } from './join-form.tsx'

/**
 * The page of the setup link, which the server prints at its first start. On this page, a person creates the first
 * owner.
 */
export default function Setup(): ReactNode {
  // The setup link can contain the mode in which the console opens. `npm start` sends its first request in test mode,
  // so its link contains test mode.
  const [isTest] = useState(() => new URLSearchParams(location.search).get('mode') === 'test')
  return (
    <JoinPage
      title="Set up Tollgate"
      about={() => 'You become the first owner of this organization and can then invite your team.'}
      then={isTest ? '/onboarding?mode=test' : '/onboarding'}
    />
  )
}
