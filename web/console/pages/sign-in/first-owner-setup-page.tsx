import { useState, type ReactNode } from 'react'
import { JoinPage } from './join-form.tsx'

/** The server prints the setup link at its first start. */
export default function Setup(): ReactNode {
  // The link can contain the mode, because `npm start` sends its first request in test mode.
  const [isTest] = useState(() => new URLSearchParams(location.search).get('mode') === 'test')
  return (
    <JoinPage
      title="Set up Tollgate"
      about={() => 'You become the first owner of this organization and can then invite your team.'}
      then={isTest ? '/onboarding?mode=test' : '/onboarding'}
    />
  )
}
