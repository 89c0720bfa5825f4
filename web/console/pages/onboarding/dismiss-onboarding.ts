/**
 * The entry that records that the user dismissed the setup in this browser. The setup page is still available at its
 * address.
 */
const key = 'tollgate getting started'

export function dismissOnboarding(): void {
  localStorage.setItem(key, 'later')
}
