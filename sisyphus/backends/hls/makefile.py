"""The rules of the emitted Makefile, the same for every kernel.

A step counts as done only if its tool exits with 0, prints no line that starts with `ERROR`, and leaves what it is
run for; then a file in build/ says so, and nothing runs again until a source changes. All paths are relative.
"""

_COSIM = """# Data sets for the slow simulation of the RTL, which flushes denormal numbers to zero.
COSIM_SETS ?= dominant
"""

_TOOLS = r"""
# What to link for (hw, hw_emu) and the platform, e.g. PLATFORM=xilinx_u200_gen3x16_xdma_2_202110_1
TARGET ?= hw
PLATFORM ?=
DEVICE_INDEX ?= 0
# Data sets for the slow simulation of the RTL, which flushes denormal numbers to zero.
COSIM_SETS ?= dominant

VPP ?= v++
VITIS_RUN ?= vitis-run
VITIS_HLS ?= vitis_hls
# $(call quoted,TEXT): one word for the shell, whatever the text is.
quoted = '$(subst ','\'',$(1))'
find = $(shell command -v $(1) 2>/dev/null)
FLOW ?= $(if $(and $(call find,$(VPP)),$(call find,$(VITIS_RUN))),unified,$(if $(call find,$(VITIS_HLS)),classic,none))

# The version by the folder that v++ lies in, as /tools/Xilinx/Vitis/2023.2/bin.
VITIS_VERSION ?= $(shell command -v $(VPP) 2>/dev/null | sed -n 's|.*/\(20[0-9][0-9]\.[0-9]\)/.*|\1|p')
CLOCK = $(if $(filter $(SCALABLE_VERSIONS),$(VITIS_VERSION)),$(SCALABLE_CLOCK),$(USUAL_CLOCK))

.DELETE_ON_ERROR:
.SUFFIXES:
.PHONY: help csim csynth cosim package xclbin host run check clean

"""

_STEPS = r"""
# $(call tool,NAME,COMMAND,PRODUCT): runs a tool with its output in build/NAME.log; no old product may remain.
define tool
@echo "$(1): see build/$(1).log"
@mkdir -p build && rm -f build/$(1).done
$(if $(3),@find . -name '$(3)' -exec rm -f {} +)
@{ $(2); } > build/$(1).log 2>&1 || { tail -n 30 build/$(1).log >&2; echo "$(1) failed" >&2; exit 1; }
@! grep '^ERROR' build/$(1).log >&2 || { echo "$(1) failed" >&2; exit 1; }
endef
# $(call says,NAME,TEXT): the log of a step must have this text.
define says
@grep -q '$(2)' build/$(1).log || { tail -n 30 build/$(1).log >&2; echo "$(1) failed: no '$(2)'" >&2; exit 1; }
endef
# $(call product,NAME,PRODUCT): the file that a step is run for must be there, wherever the tool puts it.
define product
@found=`find . -name '$(2)' | head -n 1`; test -n "$$found" || { echo "$(1) failed: it left no $(2)" >&2; exit 1; }; \
test -e build/$(2) || cp "$$found" build/$(2)
endef

"""

#: How the program for the board is run.
_RUN = "build/host $(XCLBIN) $(DEVICE_INDEX)"
#: The program for the board, and its run.
_HOST = r"""host: build/host
build/host: host.cpp reference.c
	@test -n "$(XILINX_XRT)" || { echo "XILINX_XRT is not set: source setup.sh of XRT" >&2; exit 1; }
	@mkdir -p build
	$(CC) $(EXACT) -w -ffunction-sections -c reference.c -o build/reference.o
	$(CXX) -std=c++17 -O2 -Wall -Wextra -I"$(XILINX_XRT)/include" host.cpp build/reference.o -o $@ -Wl,--gc-sections \
	-L"$(XILINX_XRT)/lib" -lxrt_coreutil -pthread -lm

run: build/host $(XCLBIN)
	$(if $(filter hw,$(TARGET)),,XCL_EMULATION_MODE=$(TARGET)) build/host $(XCLBIN) $(DEVICE_INDEX)

"""

RULES = (
    _TOOLS
    + r"""help:
	@echo "make csim      run the test bench on the C++ code"
	@echo "make csynth    synthesize; the report is build/csynth.rpt"
	@echo "make cosim     run the test bench on the RTL"
	@echo "make package   build/kernel.xo"
	@echo "make xclbin    build/$(TOP).$(TARGET).xclbin; needs PLATFORM=..."
	@echo "make host      build/host, the program for the board; needs XRT"
	@echo "make run       run build/host with the xclbin"
	@echo "make check     run the test bench with g++ alone; needs HLS_INCLUDE=..., a folder with hls_vector.h"
	@echo "make clean     remove build/"
	@echo "tools found: $(FLOW) flow"

CODE := kernel.cpp kernel.h
BENCH := testbench.cpp reference.c
CONFIG_unified := hls_config.cfg
CONFIG_classic := run_hls.tcl
CONFIG := $(CONFIG_$(FLOW))

UNIFIED_OPTIONS := --config hls_config.cfg --work_dir build/hls
unified_csim = $(VITIS_RUN) --mode hls --csim $(UNIFIED_OPTIONS)
unified_csynth = $(VPP) -c --mode hls $(UNIFIED_OPTIONS)
unified_cosim = $(VITIS_RUN) --mode hls --cosim $(UNIFIED_OPTIONS)
unified_package = $(VITIS_RUN) --mode hls --package $(UNIFIED_OPTIONS)
classic_csim = SISY_STEP=csim $(VITIS_HLS) -f run_hls.tcl
classic_csynth = SISY_STEP=csynth $(VITIS_HLS) -f run_hls.tcl
classic_cosim = SISY_STEP=cosim $(VITIS_HLS) -f run_hls.tcl
classic_package = SISY_STEP=package $(VITIS_HLS) -f run_hls.tcl
MISSING = { echo "neither $(VPP) with $(VITIS_RUN) nor $(VITIS_HLS) is on PATH: source settings64.sh of Vitis"; false; }
none_csim = $(MISSING)
none_csynth = $(MISSING)
none_cosim = $(MISSING)
none_package = $(MISSING)

"""
    + _STEPS.lstrip()
    + r"""csim: build/csim.done
build/csim.done: $(CODE) $(BENCH) $(CONFIG)
	$(call tool,csim,$($(FLOW)_csim))
	$(call says,csim,sisy: PASS)
	@touch $@

csynth: build/csynth.done
build/csynth.done: $(CODE) $(CONFIG)
	$(call tool,csynth,$($(FLOW)_csynth),csynth.rpt)
	$(call product,csynth,csynth.rpt)
	@touch $@

cosim: build/cosim.done
build/cosim.done: build/csynth.done $(BENCH)
	$(call tool,cosim,SISY_SETS="$(COSIM_SETS)" && export SISY_SETS && $($(FLOW)_cosim))
	$(call says,cosim,co-simulation finished: PASS)
	@touch $@

package: build/package.done
build/package.done: build/csynth.done
	$(call tool,package,$($(FLOW)_package),kernel.xo)
	$(call product,package,kernel.xo)
	@touch $@

XCLBIN := build/$(TOP).$(TARGET).xclbin
xclbin: $(XCLBIN)
$(XCLBIN): build/package.done system.cfg
	@test -n "$(PLATFORM)" || { printf '%s\n' $(call quoted,set PLATFORM=... to link for the $(DEVICE)) >&2; exit 1; }
	$(call tool,xclbin,$(VPP) -l -t $(TARGET) --platform "$(PLATFORM)" --config system.cfg $(CLOCK) \
	--temp_dir build/link -o $@ build/kernel.xo,$(notdir $(XCLBIN)))
	@test -s $@ || { echo "xclbin failed: it left no $@" >&2; exit 1; }

"""
    + _HOST
    + r"""check: build/check.done
build/check.done: $(CODE) $(BENCH)
	@test -n "$(HLS_INCLUDE)" || { echo "set HLS_INCLUDE=... to a folder with hls_vector.h" >&2; exit 1; }
	@mkdir -p build
	$(CC) $(EXACT) -w -ffunction-sections -c reference.c -o build/check_reference.o
	$(CXX) -std=c++14 $(EXACT) -Wall -Wextra -Wno-unknown-pragmas -isystem "$(HLS_INCLUDE)" kernel.cpp testbench.cpp \
	build/check_reference.o -o build/check -Wl,--gc-sections -lm
	build/check
	@touch $@

clean:
	rm -rf build
"""
)

#: For several units: each is synthesized by itself, and all are linked together. There is no test bench of one unit.
UNIT_RULES = (
    _TOOLS.replace(" csim ", " ").replace(" cosim ", " ").replace(_COSIM, "")
    + r"""help:
	@echo "make csynth    synthesize all units; the reports are build/UNIT_csynth.rpt"
	@echo "make package   build/UNIT.xo for all units"
	@echo "make xclbin    build/$(TOP).$(TARGET).xclbin with all of them; needs PLATFORM=..."
	@echo "make host      build/host, the program for the board; needs XRT"
	@echo "make run       run build/host with the xclbin; REPEAT=N for N more executions, two in flight"
	@echo "make check     run the test bench with g++ alone; needs HLS_INCLUDE=..., a folder with hls_vector.h"
	@echo "make clean     remove build/"
	@echo "units: $(UNITS); tools found: $(FLOW) flow"

MISSING = { echo "neither $(VPP) with $(VITIS_RUN) nor $(VITIS_HLS) is on PATH: source settings64.sh of Vitis"; false; }
unified_options = --config hls_config_$(1).cfg --work_dir build/hls_$(1)
unified_csynth = $(VPP) -c --mode hls $(call unified_options,$(1))
unified_package = $(VITIS_RUN) --mode hls --package $(call unified_options,$(1))
classic_csynth = SISY_STEP=csynth $(VITIS_HLS) -f run_hls_$(1).tcl
classic_package = SISY_STEP=package $(VITIS_HLS) -f run_hls_$(1).tcl
none_csynth = $(MISSING)
none_package = $(MISSING)

"""
    + _STEPS.lstrip()
    + r"""csynth: $(UNITS:%=build/%_csynth.done)
build/%_csynth.done: %.cpp %.h hls_config_%.cfg run_hls_%.tcl
	$(call tool,$*_csynth,$(call $(FLOW)_csynth,$*))
	@found=`find build/hls_$* -name csynth.rpt 2>/dev/null | head -n 1`; \
	test -n "$$found" || { echo "$*_csynth failed: it left no csynth.rpt" >&2; exit 1; }; \
	cp "$$found" build/$*_csynth.rpt
	@touch $@

package: $(UNITS:%=build/%_package.done)
build/%_package.done: build/%_csynth.done
	$(call tool,$*_package,$(call $(FLOW)_package,$*),$*.xo)
	$(call product,$*_package,$*.xo)
	@touch $@

XCLBIN := build/$(TOP).$(TARGET).xclbin
xclbin: $(XCLBIN)
$(XCLBIN): $(UNITS:%=build/%_package.done) system.cfg
	@test -n "$(PLATFORM)" || { printf '%s\n' $(call quoted,set PLATFORM=... to link for the $(DEVICE)) >&2; exit 1; }
	$(call tool,xclbin,$(VPP) -l -t $(TARGET) --platform "$(PLATFORM)" --config system.cfg $(CLOCK) \
	--temp_dir build/link -o $@ $(UNITS:%=build/%.xo),$(notdir $(XCLBIN)))
	@test -s $@ || { echo "xclbin failed: it left no $@" >&2; exit 1; }

"""
    + _HOST.replace(_RUN, _RUN + " $(if $(REPEAT),--repeat $(REPEAT))")
    + r"""check: build/check.done
build/check.done: $(UNITS:%=%.cpp) $(UNITS:%=%.h) testbench.cpp reference.c
	@test -n "$(HLS_INCLUDE)" || { echo "set HLS_INCLUDE=... to a folder with hls_vector.h" >&2; exit 1; }
	@mkdir -p build
	$(CC) $(EXACT) -w -ffunction-sections -c reference.c -o build/check_reference.o
	$(CXX) -std=c++14 $(EXACT) -Wall -Wextra -Wno-unknown-pragmas -isystem "$(HLS_INCLUDE)" $(UNITS:%=%.cpp) \
	testbench.cpp build/check_reference.o -o build/check -Wl,--gc-sections -lm
	build/check
	@touch $@

clean:
	rm -rf build
"""
)
