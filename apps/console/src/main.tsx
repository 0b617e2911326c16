import { render } from 'preact';
import { App } from './app';
import { startLiveData } from './data/start-live-data';
import { followHistory } from './router/router';

// The browser may have kept a page of someone who has since signed out.
addEventListener('pageshow', ({ persisted }) => persisted && location.reload());
followHistory();
startLiveData();
render(<App />, document.getElementById('app') ?? document.body);
