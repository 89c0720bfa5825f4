/** The setup page remains available at its address. */
const key = 'tollgate getting started'

export function dismissOnboarding(): void {
  localStorage.setItem(key, 'later')
}
