import type { Mode } from './application-config.ts'

export type OnboardingStage = 'fund_and_try' | 'complete'

/** The finished stages of an organization's setup, separately for live mode and test mode. */
export interface Onboarding {
  finishedAtMs(organizationId: string, mode: Mode, stage: OnboardingStage): Promise<number | null>
  /** Records that the stage was finished at `nowMs`, unless the stage was already finished. */
  finish(organizationId: string, mode: Mode, stage: OnboardingStage, nowMs: number): Promise<void>
}
