import { findPage } from './pages/page-table';
import { path } from './router/router';
import { Shell } from './shell/shell';

/** The page for the current path, inside the shell. Each path gets a new page with its own state. */
export function App() {
  const { page: Page, params, title, fillsWindow = false } = findPage(path.value);
  return (
    <Shell title={title} fillsWindow={fillsWindow}>
      <Page key={path.value} params={params} />
    </Shell>
  );
}
