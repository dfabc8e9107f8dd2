//! Telling how far a job is: a bar on a terminal, else a line every 30 seconds.

use crate::sizes;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use shardmill_pipeline::phases::Control;
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Time between two lines where no terminal is.
const LINE: Duration = Duration::from_secs(30);
/// Time between two looks at the counters.
const LOOK: Duration = Duration::from_millis(200);

/// Watches one phase until it is dropped.
pub(crate) struct Watch {
    done: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

/// What a phase counts.
#[derive(Clone, Copy)]
pub(crate) enum Phase {
    /// Input bytes of so many.
    Map(u64),
    /// Cells of so many.
    Merge(u64),
}

impl Phase {
    fn total(self) -> u64 {
        match self {
            Phase::Map(total) | Phase::Merge(total) => total,
        }
    }

    fn counter(self, control: &Control) -> &AtomicU64 {
        match self {
            Phase::Map(_) => &control.progress.bytes_read,
            Phase::Merge(_) => &control.progress.cells_merged,
        }
    }

    fn line(self, control: &Control) -> String {
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let (done, progress) = (load(self.counter(control)), &control.progress);
        let percent = 100 * done.min(self.total()) / self.total().max(1);
        match self {
            Phase::Map(total) => format!(
                "map {percent} %: {} of {}, {} records, {} rejected, {} cells",
                sizes::show(done),
                sizes::show(total),
                sizes::count(load(&progress.records)),
                sizes::count(load(&progress.rejected)),
                sizes::count(load(&progress.cells_spilled)),
            ),
            Phase::Merge(total) => format!(
                "merge {percent} %: {} of {} cells, {} written",
                sizes::count(done),
                sizes::count(total),
                sizes::show(load(&progress.bytes_published))
            ),
        }
    }
}

/// Watches a phase.
pub(crate) fn watch(phase: Phase, control: &Arc<Control>) -> Watch {
    let done = Arc::new(AtomicBool::new(false));
    let (flag, control) = (Arc::clone(&done), Arc::clone(control));
    let bar = std::io::stderr().is_terminal().then(|| {
        let bar = ProgressBar::with_draw_target(Some(phase.total()), ProgressDrawTarget::stderr());
        // The template is a constant; where it did not parse, the default style serves.
        ProgressStyle::with_template("[{elapsed}] {wide_bar} {msg}  left: {eta}")
            .map(|style| bar.set_style(style))
            .ok();
        bar
    });
    let thread = std::thread::spawn(move || {
        let mut said = Instant::now();
        while !flag.load(Ordering::Relaxed) {
            std::thread::park_timeout(LOOK);
            if let Some(bar) = &bar {
                bar.set_position(phase.counter(&control).load(Ordering::Relaxed));
                bar.set_message(phase.line(&control));
            } else if said.elapsed() >= LINE {
                eprintln!("{}", phase.line(&control));
                said = Instant::now();
            }
        }
        if let Some(bar) = bar {
            bar.finish_and_clear();
        }
    });
    Watch {
        done,
        thread: Some(thread),
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.done.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // A watcher that panicked has nothing more to say.
            let _ = thread.join();
        }
    }
}
