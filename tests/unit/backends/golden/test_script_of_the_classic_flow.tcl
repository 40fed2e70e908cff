# One step of the classic flow: SISY_STEP=csim|csynth|cosim|package vitis_hls -f run_hls.tcl
set step csynth
if {[info exists ::env(SISY_STEP)]} { set step $::env(SISY_STEP) }
file mkdir build
cd build
set failed [catch {
    open_project hls
    set_top kernel_gemm
    add_files ../kernel.cpp -cflags "-std=c++14"
    add_files -tb ../testbench.cpp -cflags "-std=c++14 -O1 -ffp-contract=off -fno-fast-math -Wno-unknown-pragmas"
    add_files -tb ../reference.c -cflags "-w -O1 -ffp-contract=off -fno-fast-math -fno-builtin -fwrapv -fno-strict-aliasing -fno-ivopts"
    open_solution -flow_target vitis solution
    set_part xcu200-fsgd2104-2-e
    create_clock -period 4 -name default
    switch $step {
        csim { csim_design }
        csynth { csynth_design }
        cosim { cosim_design }
        package { export_design -format xo -output kernel.xo }
        default { error "SISY_STEP is $step, not csim, csynth, cosim or package" }
    }
} message]
if {$failed} {
    puts "ERROR: $message"
    exit 1
}
exit 0
