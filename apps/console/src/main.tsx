import { render } from 'preact';
import { App } from './app';
import { startLiveData } from './data/start-live-data';
import { followHistory } from './router/router';

followHistory();
startLiveData();
render(<App />, document.getElementById('app') ?? document.body);
