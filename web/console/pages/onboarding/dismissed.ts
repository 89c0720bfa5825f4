/** Whether this browser was told to leave the steps for later. They stay at their address. */
const key = 'tollgate getting started'

export function dismissOnboarding(): void {
  localStorage.setItem(key, 'later')
}
