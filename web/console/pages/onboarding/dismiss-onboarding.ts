/** Whether the setup was dismissed in this browser. The setup page remains at its address. */
const key = 'tollgate getting started'

export function dismissOnboarding(): void {
  localStorage.setItem(key, 'later')
}
