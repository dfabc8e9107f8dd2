//! SIGINT and SIGTERM: tasks are asked to stop, a second signal ends the program at once.

use shardmill_pipeline::phases::Control;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The signal that came, 0 for none.
static CAME: std::sync::OnceLock<Arc<AtomicUsize>> = std::sync::OnceLock::new();

/// Makes both signals set the stop flag of a new control. Once in a process.
pub(crate) fn control() -> std::io::Result<Arc<Control>> {
    let control = Arc::new(Control::default());
    let came = CAME.get_or_init(Arc::default);
    let stopping = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // Registered first, looked at first: it acts only when the flag is set already, that is at the second signal.
        signal_hook::flag::register_conditional_shutdown(
            signal,
            128 + signal,
            Arc::clone(&stopping),
        )?;
        signal_hook::flag::register(signal, Arc::clone(&stopping))?;
        signal_hook::flag::register_usize(signal, Arc::clone(came), signal as usize)?;
        signal_hook::flag::register(signal, Arc::clone(&control.stop))?;
    }
    Ok(control)
}

/// Whether the signal that came was SIGTERM.
pub(crate) fn terminated() -> bool {
    CAME.get()
        .is_some_and(|came| came.load(Ordering::Relaxed) == SIGTERM as usize)
}
