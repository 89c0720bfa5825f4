/** The URL contains `act=new` while the form is open, so that the command bar can open the form. */
import { useSearchText } from './url-parameters.ts'

export function useAct(name = 'new'): readonly [isOpen: boolean, open: () => void, close: () => void] {
  const [act, setAct] = useSearchText('act')
  return [act === name, () => setAct(name), () => setAct(null)]
}
