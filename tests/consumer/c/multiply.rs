// SPDX-License-Identifier: MIT
// C = A * B^T through a kernel file: multiply GEMM.json. Exit status 0: it is right. It needs no crate: below are those
// declarations of vkmoye.h that it uses, and wrappers that free what they made and return errors as text.
use std::ffi::{CStr, CString};
use std::os::raw::{c_char, c_void};
use std::{env, mem, process, ptr};

#[repr(C)]
struct Value {
    integer: i64,
    real: f64,
    is_real: u32,
    reserved: u32,
}

#[repr(C)]
struct Argument {
    name: *const c_char,
    value: Value,
}

#[repr(C)]
struct Range {
    buffer: *const c_void,
    vk_buffer: u64,
    offset: u64,
    bytes: u64,
}

type Handle = *mut c_void;

#[link(name = "vkmoye_c")]
extern "C" {
    fn vkmoye_last_error() -> *const c_char;
    fn vkmoye_read_file(path: *const c_char, out: *mut Handle) -> i32;
    fn vkmoye_free_file(file: Handle);
    fn vkmoye_open_device(
        selector: *const c_char,
        options: *const c_void,
        out: *mut Handle,
    ) -> i32;
    fn vkmoye_free_device(device: Handle);
    fn vkmoye_device_name(device: Handle) -> *const c_char;
    fn vkmoye_make_buffer(device: Handle, bytes: u64, out: *mut Handle) -> i32;
    fn vkmoye_free_buffer(buffer: Handle);
    fn vkmoye_write_buffer(
        buffer: Handle,
        offset: u64,
        from: *const c_void,
        bytes: usize,
    ) -> i32;
    fn vkmoye_read_buffer(buffer: Handle, offset: u64, to: *mut c_void, bytes: usize) -> i32;
    fn vkmoye_make_recorder(
        device: Handle,
        file: Handle,
        options: *const c_void,
        out: *mut Handle,
    ) -> i32;
    fn vkmoye_free_recorder(recorder: Handle);
    fn vkmoye_run(
        recorder: Handle,
        arrays: *const Range,
        array_count: u32,
        arguments: *const Argument,
        argument_count: u32,
        microseconds: *mut f64,
    ) -> i32;
}

fn check(status: i32) -> Result<(), String> {
    if status == 0 {
        return Ok(());
    }
    let text = unsafe { CStr::from_ptr(vkmoye_last_error()) };
    Err(text.to_string_lossy().into_owned())
}

/// What a function made, and the function that frees it.
struct Owned {
    handle: Handle,
    free: unsafe extern "C" fn(Handle),
}

impl Owned {
    fn make(
        free: unsafe extern "C" fn(Handle),
        make: impl FnOnce(*mut Handle) -> i32,
    ) -> Result<Owned, String> {
        let mut handle = ptr::null_mut();
        check(make(&mut handle))?;
        Ok(Owned { handle, free })
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        unsafe { (self.free)(self.handle) }
    }
}

/// A buffer with `values`.
fn buffer_of(device: &Owned, values: &[f32]) -> Result<Owned, String> {
    let bytes = mem::size_of_val(values);
    let buffer = Owned::make(vkmoye_free_buffer, |out| unsafe {
        vkmoye_make_buffer(device.handle, bytes as u64, out)
    })?;
    check(unsafe { vkmoye_write_buffer(buffer.handle, 0, values.as_ptr().cast(), bytes) })?;
    Ok(buffer)
}

fn whole(buffer: &Owned) -> Range {
    Range {
        buffer: buffer.handle,
        vk_buffer: 0,
        offset: 0,
        bytes: 0,
    }
}

const M: usize = 33;
const N: usize = 65;
const K: usize = 17;

fn multiply(path: &str) -> Result<usize, String> {
    let path = CString::new(path).map_err(|error| error.to_string())?;
    let file = Owned::make(vkmoye_free_file, |out| unsafe {
        vkmoye_read_file(path.as_ptr(), out)
    })?;
    let device = Owned::make(vkmoye_free_device, |out| unsafe {
        vkmoye_open_device(ptr::null(), ptr::null(), out)
    })?;
    let recorder = Owned::make(vkmoye_free_recorder, |out| unsafe {
        vkmoye_make_recorder(device.handle, file.handle, ptr::null(), out)
    })?;
    let a: Vec<f32> = (0..M * K).map(|i| (i % 5) as f32).collect();
    let b: Vec<f32> = (0..N * K).map(|i| (i % 7) as f32).collect();
    let mut c = vec![0f32; M * N];
    let buffers = [
        buffer_of(&device, &a)?,
        buffer_of(&device, &b)?,
        buffer_of(&device, &c)?,
    ];
    let arrays = [whole(&buffers[0]), whole(&buffers[1]), whole(&buffers[2])];
    let names = ["m", "n", "k", "alpha"].map(|name| CString::new(name).unwrap());
    let integer = |i: usize, value: usize| Argument {
        name: names[i].as_ptr(),
        value: Value {
            integer: value as i64,
            real: 0.0,
            is_real: 0,
            reserved: 0,
        },
    };
    let alpha = Argument {
        name: names[3].as_ptr(),
        value: Value {
            integer: 0,
            real: 1.0,
            is_real: 1,
            reserved: 0,
        },
    };
    let sizes = [integer(0, M), integer(1, N), integer(2, K), alpha];
    let mut microseconds = 0f64;
    check(unsafe {
        vkmoye_run(
            recorder.handle,
            arrays.as_ptr(),
            3,
            sizes.as_ptr(),
            4,
            &mut microseconds,
        )
    })?;
    check(unsafe {
        vkmoye_read_buffer(
            buffers[2].handle,
            0,
            c.as_mut_ptr().cast(),
            mem::size_of_val(&c[..]),
        )
    })?;
    let wrong = (0..M * N)
        .filter(|i| {
            c[*i]
                != (0..K)
                    .map(|l| a[i / N * K + l] * b[i % N * K + l])
                    .sum::<f32>()
        })
        .count();
    let name = unsafe { CStr::from_ptr(vkmoye_device_name(device.handle)) };
    println!(
        "{}: {wrong} of {} elements are wrong, {microseconds:.1} us",
        name.to_string_lossy(),
        M * N
    );
    Ok(wrong)
}

fn main() {
    let path = env::args().nth(1).unwrap_or_default();
    match multiply(&path) {
        Ok(0) => (),
        Ok(_) => process::exit(1),
        Err(text) => {
            eprintln!("{text}");
            process::exit(1)
        }
    }
}
