import { render } from 'preact';
import { App } from './app';
import { startLiveData } from './data/start-live-data';
import { followHistory } from './router/router';

// A page that the browser has kept for its back button may belong to someone who has since signed out.
addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
followHistory();
startLiveData();
render(<App />, document.getElementById('app') ?? document.body);
